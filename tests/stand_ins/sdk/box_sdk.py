"""Checks the stand-in of Box with the official SDK.

Usage: box_sdk.py JSON, where JSON is the line that the program `stand_in box` writes.
"""

import io
import json
import logging
import sys
import urllib.parse

import requests
from box_sdk_gen import (
    AccessToken,
    BaseUrls,
    BoxAPIError,
    BoxClient,
    BoxDeveloperTokenAuth,
    BoxOAuth,
    BoxSDKError,
    CreateFolderParent,
    InMemoryTokenStorage,
    NetworkSession,
    OAuthConfig,
    UploadFileAttributes,
    UploadFileAttributesParentField,
    UploadFileVersionAttributes,
)

STAND_IN = json.loads(sys.argv[1])
BASE_URLS = BaseUrls(
    base_url=STAND_IN["api_url"],
    upload_url=STAND_IN["content_url"] + "/api",
    oauth_2_url=STAND_IN["auth_url"].removesuffix("/authorize"),
)
ROOT = CreateFolderParent(id="0")
NAMES = ["Größe \"Q1\" 'x'.csv", "図表 📈.csv", "a%2Fb&c=d?#e.csv", "{}[],:.csv"]


def check(name, condition):
    """Prints a passed check, or ends the program."""
    if not condition:
        sys.exit(f"failed: {name}")
    print("ok     ", name)


def network():
    """Returns a session of the SDK with the addresses of the stand-in."""
    return NetworkSession(base_urls=BASE_URLS)


def connect(token):
    """Returns a client with an access token."""
    return BoxClient(BoxDeveloperTokenAuth(token), network_session=network())


def status_of(call):
    """Runs a function that must fail. Returns status and code of the error."""
    try:
        call()
    except BoxAPIError as error:
        return error.response_info.status_code, error.response_info.code
    raise AssertionError("no error")


def needs_new_token(client):
    """Returns whether the SDK wants to refresh the token of a client, because the response is 401."""
    try:
        client.users.get_user_me()
    except BoxSDKError as error:
        return "token" in error.message.lower()
    return False


def upload(client, name, content, parent="0"):
    """Uploads a new file and returns it."""
    attributes = UploadFileAttributes(name=name, parent=UploadFileAttributesParentField(id=parent))
    files = client.uploads.upload_file(attributes, io.BytesIO(content))
    check(f"one file after the upload of {name}", files.total_count == 1)
    return files.entries[0]


def check_folders(client):
    """Checks folders: creation, conflict, lists with markers, deletion."""
    folder = client.folders.create_folder("Reports", ROOT)
    check("a folder has its name and parent", (folder.name, folder.parent.id) == ("Reports", "0"))
    again = status_of(lambda: client.folders.create_folder("reports", ROOT))
    check("the same name in another case is a conflict", again == (409, "item_name_in_use"))
    for name in NAMES:
        upload(client, name, b"a,b\n1,2\n", folder.id)
    seen, marker, pages = [], None, 0
    while pages < 10:
        items = client.folders.get_folder_items(folder.id, usemarker=True, limit=3, marker=marker)
        seen += [entry.name for entry in items.entries]
        marker, pages = items.next_marker, pages + 1
        if not marker:
            break
    check("the list has all files in parts", sorted(seen) == sorted(NAMES) and pages == 2)
    full = status_of(lambda: client.folders.delete_folder_by_id(folder.id))
    check("a folder with files needs recursive", full == (400, "folder_not_empty"))
    client.folders.delete_folder_by_id(folder.id, recursive=True)
    gone = status_of(lambda: client.folders.get_folder_by_id(folder.id))
    check("a deleted folder is not found", gone[0] == 404)
    check("the root has no parent", client.folders.get_folder_by_id("0").parent is None)


def check_files(client):
    """Checks files: upload, download, new versions with a precondition, renaming, deletion."""
    file = upload(client, "Sales.csv", b"City,Sales\nBonn,4\n")
    check("size of the file", client.files.get_file_by_id(file.id).size == 18)
    content = client.downloads.download_file(file.id)
    check("content of the file", content.read() == b"City,Sales\nBonn,4\n")
    attributes = UploadFileVersionAttributes(name="Sales.csv")
    new = client.uploads.upload_file_version(
        file.id, attributes, io.BytesIO(b"new"), if_match=file.etag
    ).entries[0]
    check("a new version has another entity tag", new.etag != file.etag and new.id == file.id)
    stale = status_of(lambda: client.uploads.upload_file_version(
        file.id, attributes, io.BytesIO(b"x"), if_match=file.etag
    ))
    check("a stale version is refused", stale == (412, "precondition_failed"))
    check("and changes nothing", client.downloads.download_file(file.id).read() == b"new")
    stale = status_of(lambda: client.files.update_file_by_id(file.id, name="B", if_match=file.etag))
    check("a stale renaming is refused", stale[0] == 412)
    renamed = client.files.update_file_by_id(file.id, name="Other.csv", if_match=new.etag)
    check("a file is renamed", renamed.name == "Other.csv")
    client.files.delete_file_by_id(file.id, if_match=renamed.etag)
    check("a deleted file is not found", status_of(lambda: client.files.get_file_by_id(file.id))[0] == 404)
    slow = upload(client, "slow.csv", b"late")
    check("a file that is being stored", client.downloads.download_file(slow.id).read() == b"late")


def check_tokens():
    """Checks the flow with a code, the rotation of refresh tokens, and revocation."""
    config = OAuthConfig(STAND_IN["client_id"], STAND_IN["client_secret"],
                         token_storage=InMemoryTokenStorage())
    oauth = BoxOAuth(config)
    session = network()
    query = {
        "response_type": "code", "client_id": STAND_IN["client_id"],
        "redirect_uri": "https://charts.example/callback", "state": "s 1",
    }
    page = requests.get(STAND_IN["auth_url"], params=query, allow_redirects=False, timeout=10)
    back = urllib.parse.urlsplit(page.headers["location"])
    parameters = urllib.parse.parse_qs(back.query)
    check("the state comes back", parameters["state"] == ["s 1"])
    # The SDK sends no redirect URI, which Box permits; the stand-in demands the one of the request.
    form = {
        "grant_type": "authorization_code", "code": parameters["code"][0],
        "client_id": STAND_IN["client_id"], "client_secret": STAND_IN["client_secret"],
        "redirect_uri": "https://charts.example/callback",
    }
    tokens = requests.post(STAND_IN["token_url"], data=form, timeout=10).json()
    config.token_storage.store(AccessToken(**{
        name: tokens[name] for name in ("access_token", "refresh_token", "expires_in")
    }))
    new = oauth.refresh_token(network_session=session)
    check("a refresh gives new tokens", new.refresh_token != tokens["refresh_token"])
    config.token_storage.store(AccessToken(refresh_token=tokens["refresh_token"]))
    check("the old refresh token is valid once", status_of(lambda: oauth.refresh_token(network_session=session))[0] == 400)
    client = connect(new.access_token)
    check("the new token is valid", client.users.get_user_me().login == "ada@example.com")
    config.token_storage.store(new)
    oauth.revoke_token(network_session=session)
    check("a revoked token is refused", needs_new_token(client))


def main():
    """Runs all checks."""
    # The SDK writes each expected error to its log.
    logging.disable(logging.CRITICAL)
    client = connect(STAND_IN["access_token"])
    user = client.users.get_user_me()
    check("account", (user.login, user.id) == ("ada@example.com", "11446498"))
    check_folders(client)
    check_files(client)
    check_tokens()
    check("an unknown token is refused", needs_new_token(connect("unknown")))


main()
