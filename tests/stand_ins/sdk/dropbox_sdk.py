"""Checks the stand-in of Dropbox with the official SDK.

Usage: dropbox_sdk.py JSON, where JSON is the line that the program `stand_in dropbox` writes.
"""

import datetime
import json
import os
import sys
import urllib.parse

import tls_forwarder

STAND_IN = json.loads(sys.argv[1])
FILES = tls_forwarder.create_certificate()
API_PORT, CA_FILE = tls_forwarder.start(STAND_IN["api_url"], FILES)
CONTENT_PORT, _ = tls_forwarder.start(STAND_IN["content_url"], FILES)
WEB_URL = STAND_IN["auth_url"].removesuffix("/oauth2/authorize")
WEB_PORT, _ = tls_forwarder.start(WEB_URL, FILES)
# The SDK reads these when it is imported.
os.environ["DROPBOX_API_HOST"] = f"127.0.0.1:{API_PORT}"
os.environ["DROPBOX_API_CONTENT_HOST"] = f"127.0.0.1:{CONTENT_PORT}"
os.environ["DROPBOX_WEB_HOST"] = f"127.0.0.1:{WEB_PORT}"
os.environ["REQUESTS_CA_BUNDLE"] = CA_FILE

import dropbox  # noqa: E402
import requests  # noqa: E402
from dropbox import exceptions, files, sharing  # noqa: E402

NAMES = ["Größe \"Q1\" 'x'.json", "図表 📈.csv", "a%2Fb&c=d?#e.tsv", "{}[],:.xlsx"]
REDIRECT_URI = "https://charts.example/callback"


def connect(**options):
    """Returns a client of the stand-in."""
    options = options or {"oauth2_access_token": STAND_IN["access_token"]}
    return dropbox.Dropbox(ca_certs=CA_FILE, max_retries_on_error=0,
                           max_retries_on_rate_limit=0, **options)


def fail(call):
    """Runs a function that must fail with an error of its route. Returns the error."""
    try:
        call()
    except exceptions.ApiError as error:
        return error.error
    raise AssertionError("no error")


def check_account(client):
    account = client.users_get_current_account()
    assert account.email == "ada@example.com", account
    assert len(account.account_id) == 40 and account.account_type.is_basic(), account
    assert client.check_user("ping").result == "ping"


def check_folders(client):
    folder = client.files_create_folder_v2("/Ordner 📁").metadata
    assert isinstance(folder, files.FolderMetadata) and folder.id.startswith("id:"), folder
    assert folder.path_display == "/Ordner 📁" and folder.path_lower == "/ordner 📁", folder
    assert client.files_get_metadata(folder.id) == client.files_get_metadata("/ORDNER 📁")
    error = fail(lambda: client.files_create_folder_v2("/ORDNER 📁"))
    assert error.is_path() and error.get_path().get_conflict().is_folder(), error
    try:
        client.files_get_metadata("/")
        raise AssertionError("metadata of the root")
    except exceptions.BadInputError as error:
        assert "root" in error.message, error


def check_upload(client):
    for name in NAMES:
        content = name.encode()
        uploaded = client.files_upload(content, f"/Ordner 📁/{name}", strict_conflict=True)
        assert isinstance(uploaded, files.FileMetadata), uploaded
        assert uploaded.name == name and uploaded.size == len(content), uploaded
        assert uploaded.content_hash == dropbox.content_hash.content_hash(content), uploaded
        assert isinstance(uploaded.server_modified, datetime.datetime), uploaded
        metadata, response = client.files_download(uploaded.id)
        assert metadata == uploaded and response.content == content, metadata
    same = client.files_upload(content, f"/Ordner 📁/{name}")
    assert same == uploaded, "the same content is no conflict by default"
    error = fail(lambda: client.files_upload(content, f"/Ordner 📁/{name}", strict_conflict=True))
    assert error.get_path().reason.get_conflict().is_file(), error
    renamed = client.files_upload(b"other", f"/Ordner 📁/{name}", autorename=True)
    assert renamed.name == "{}[],: (1).xlsx", renamed
    client.files_delete_v2(renamed.id)
    error = fail(lambda: client.files_upload(b"x", "/x.csv", content_hash="0" * 64))
    assert error.is_content_hash_mismatch(), error
    error = fail(lambda: client.files_upload(b"x", "/back\\slash.csv"))
    assert error.get_path().reason.is_malformed_path(), error


def check_list(client):
    result = client.files_list_folder("/Ordner 📁", limit=3)
    entries, pages = result.entries, 1
    while result.has_more:
        result = client.files_list_folder_continue(result.cursor)
        entries, pages = entries + result.entries, pages + 1
    assert [entry.name for entry in entries] == NAMES and pages == 2, entries
    root = client.files_list_folder("")
    assert isinstance(root.entries[0], files.FolderMetadata) and not root.has_more, root
    assert client.files_list_folder_continue(root.cursor).entries == []
    assert client.files_list_folder(root.entries[0].id).entries == entries
    assert fail(lambda: client.files_list_folder("/none")).get_path().is_not_found()
    assert fail(lambda: client.files_list_folder(entries[0].id)).get_path().is_not_folder()


def check_update(client):
    first = client.files_upload(b"one", "/update.json")
    mode = files.WriteMode.update(first.rev)
    second = client.files_upload(b"two", first.id, mode=mode, strict_conflict=True)
    assert second.id == first.id and second.rev != first.rev, second
    for content in [b"three", b"two"]:
        call = lambda: client.files_upload(content, first.id, mode=mode, strict_conflict=True)
        error = fail(call)
        assert error.is_path() and error.get_path().reason.get_conflict().is_file(), error
    assert client.files_upload(b"two", first.id, mode=mode) == second
    third = client.files_upload(b"", first.id, mode=files.WriteMode.overwrite)
    assert third.size == 0 and third.rev != second.rev, third
    folder = client.files_get_metadata("/Ordner 📁")
    call = lambda: client.files_upload(b"x", folder.id, mode=files.WriteMode.overwrite)
    assert fail(call).get_path().reason.get_conflict().is_folder()


def check_download(client):
    metadata = client.files_get_metadata("/update.json")
    tag = f'W/"{metadata.rev}"'
    response = requests.post(
        f"https://127.0.0.1:{CONTENT_PORT}/2/files/download", verify=CA_FILE,
        headers={"Authorization": f"Bearer {STAND_IN['access_token']}", "If-None-Match": tag,
                 "Dropbox-API-Arg": json.dumps({"path": metadata.id})})
    assert response.status_code == 304 and response.headers["ETag"] == tag, response
    assert client.files_download(f"rev:{metadata.rev}")[0].id == metadata.id
    assert fail(lambda: client.files_download("/none")).get_path().is_not_found()
    assert fail(lambda: client.files_download("id:none")).get_path().is_not_found()
    assert fail(lambda: client.files_download("/Ordner 📁")).get_path().is_not_file()


def check_export(client):
    native = client.files_upload(b"PK", "/Größe.gsheet")
    assert not native.is_downloadable and native.export_info.export_as == "xlsx", native
    assert fail(lambda: client.files_download(native.id)).is_unsupported_file()
    result, response = client.files_export(native.id, "xlsx")
    assert response.content == b"PK" and result.export_metadata.size == 2, result
    assert result.file_metadata == native and result.export_metadata.name == "Größe.xlsx", result
    assert fail(lambda: client.files_export(native.id, "doc")).is_invalid_export_format()
    assert fail(lambda: client.files_export("/update.json")).is_non_exportable()
    client.files_delete_v2(native.id)


def check_rename(client):
    old = client.files_get_metadata("/update.json")
    new = client.files_move_v2(old.id, "/Ordner 📁/new \"name\".json").metadata
    assert new.id == old.id and new.path_display == "/Ordner 📁/new \"name\".json", new
    error = fail(lambda: client.files_move_v2(old.id, f"/Ordner 📁/{NAMES[1].upper()}"))
    assert error.is_to() and error.get_to().get_conflict().is_file(), error
    error = fail(lambda: client.files_move_v2("/none", "/other"))
    assert error.is_from_lookup() and error.get_from_lookup().is_not_found(), error


def check_delete(client):
    file = client.files_get_metadata("/Ordner 📁/new \"name\".json")
    error = fail(lambda: client.files_delete_v2(file.id, parent_rev="0123456789"))
    assert error.is_path_write() and error.get_path_write().get_conflict().is_file(), error
    assert client.files_delete_v2(file.id, parent_rev=file.rev).metadata == file
    assert fail(lambda: client.files_get_metadata(file.id)).get_path().is_not_found()
    error = fail(lambda: client.files_delete_v2(file.id))
    assert error.is_path_lookup() and error.get_path_lookup().is_not_found(), error
    assert isinstance(client.files_delete_v2("/Ordner 📁").metadata, files.FolderMetadata)
    assert client.files_list_folder("").entries == []


def check_links(client):
    file = client.files_upload("é".encode(), "/é.csv")
    link = client.sharing_create_shared_link_with_settings("/é.csv")
    assert isinstance(link, sharing.FileLinkMetadata) and link.id == file.id, link
    app = connect(app_key=STAND_IN["client_id"], app_secret=STAND_IN["client_secret"])
    for own in [client, app]:
        metadata, response = own.sharing_get_shared_link_file(link.url.replace("dl=0", "dl=1"))
        assert metadata.rev == file.rev and response.content == "é".encode(), metadata
        error = fail(lambda: own.sharing_get_shared_link_file("https://www.dropbox.com/s/none/x"))
        assert error.is_shared_link_not_found(), error
    client.files_create_folder_v2("/shared")
    folder = client.sharing_create_shared_link_with_settings("/shared")
    assert isinstance(folder, sharing.FolderLinkMetadata), folder
    error = fail(lambda: client.sharing_get_shared_link_file(folder.url))
    assert error.is_shared_link_is_directory(), error
    assert app.check_app("ping").result == "ping"


def check_tokens(_):
    client = connect(oauth2_refresh_token=STAND_IN["refresh_token"],
                     app_key=STAND_IN["client_id"], app_secret=STAND_IN["client_secret"])
    assert client.users_get_current_account().email == "ada@example.com"
    assert client._oauth2_access_token not in (None, STAND_IN["access_token"])
    for options in [
        {"oauth2_access_token": "unknown"},
        {"oauth2_refresh_token": "unknown", "app_key": STAND_IN["client_id"],
         "app_secret": STAND_IN["client_secret"]},
    ]:
        try:
            connect(**options).users_get_current_account()
            raise AssertionError("no error")
        except exceptions.AuthError as error:
            assert error.error.is_invalid_access_token(), error


def check_flow(_):
    """Takes the way of a person: page for consent, code, tokens, missing scope, revocation."""
    session = {}
    flow = dropbox.DropboxOAuth2Flow(
        STAND_IN["client_id"], REDIRECT_URI, session, "csrf", STAND_IN["client_secret"],
        token_access_type="offline", scope=["account_info.read"], ca_certs=CA_FILE)
    page = requests.get(flow.start(), allow_redirects=False, verify=CA_FILE)
    assert page.status_code == 302, page
    location = urllib.parse.urlsplit(page.headers["Location"])
    result = flow.finish(dict(urllib.parse.parse_qsl(location.query)))
    assert len(result.account_id) == 40 and result.refresh_token, result
    assert result.scope == "account_info.read", result
    client = connect(oauth2_access_token=result.access_token)
    client.users_get_current_account()
    try:
        client.files_list_folder("")
        raise AssertionError("no error")
    except exceptions.AuthError as error:
        assert error.error.get_missing_scope().required_scope == "files.metadata.read", error
    client.auth_token_revoke()
    try:
        client.users_get_current_account()
        raise AssertionError("no error")
    except exceptions.AuthError as error:
        assert error.error.is_invalid_access_token(), error


def main():
    client = connect()
    for check in [check_account, check_folders, check_upload, check_list, check_update,
                  check_download, check_export, check_rename, check_delete, check_links, check_tokens,
                  check_flow]:
        check(client)
        print("ok", check.__name__.removeprefix("check_"))
    print(f"dropbox {dropbox.__version__}: all checks passed")


main()
