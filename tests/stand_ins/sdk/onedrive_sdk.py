"""Checks the stand-in of OneDrive with the official SDKs: Graph, and MSAL for the tokens.

Usage: onedrive_sdk.py JSON, where JSON is the line that the program `stand_in onedrive` writes.
"""

import asyncio
import json
import sys
import urllib.parse

import msal
import requests
from kiota_abstractions.authentication import AccessTokenProvider
from kiota_abstractions.authentication import AllowedHostsValidator
from kiota_abstractions.authentication import BaseBearerTokenAuthenticationProvider
from kiota_abstractions.base_request_configuration import RequestConfiguration
from msgraph import GraphRequestAdapter, GraphServiceClient
from msgraph.generated.drives.item.items.item.children.children_request_builder import (
    ChildrenRequestBuilder)
from msgraph.generated.models.drive_item import DriveItem
from msgraph.generated.models.folder import Folder
from msgraph.generated.models.o_data_errors.o_data_error import ODataError

STAND_IN = json.loads(sys.argv[1])
API_URL = STAND_IN["api_url"] + "/v1.0"

REDIRECT_URI = "https://charts.example/callback"
NAMES = ["Größe 'Q1' #1.json", "図表 📈.csv", "a%2Fb&c=d+e;f.tsv", "{}[],!.xlsx"]


class Token(AccessTokenProvider):
    """A fixed access token."""

    def __init__(self, token):
        self.token = token

    async def get_authorization_token(self, uri, additional_authentication_context={}):
        return self.token

    def get_allowed_hosts_validator(self):
        return AllowedHostsValidator([])


def without_tls(url):
    """Returns the URL of the stand-in, because MSAL accepts only https."""
    return url.replace("https://127.0.0.1:", "http://127.0.0.1:")


class PlainClient(requests.Session):
    """HTTP client for MSAL that reaches the stand-in, which has no TLS."""

    def request(self, method, url, *arguments, **options):
        return super().request(method, without_tls(url), *arguments, **options)


def connect(token):
    """Returns a client of the stand-in."""
    adapter = GraphRequestAdapter(BaseBearerTokenAuthenticationProvider(Token(token)))
    adapter.base_url = API_URL
    return GraphServiceClient(request_adapter=adapter)


def configure(**headers):
    """Returns the configuration of a request with headers, such as `if_match`."""
    configuration = RequestConfiguration()
    for name, value in headers.items():
        configuration.headers.add(name.replace("_", "-"), value)
    return configuration


async def fail(request, status, code):
    """Waits for a request that must fail with a status and a code."""
    try:
        await request
    except ODataError as error:
        assert error.response_status_code == status, error
        assert error.error.code == code and error.error.message, error
        assert error.error.inner_error.request_id and error.error.inner_error.date, error
        return
    raise AssertionError("no error")


async def create_folder(drive, parent, name):
    """Creates a folder with the SDK."""
    body = DriveItem(name=name, folder=Folder(),
                     additional_data={"@microsoft.graph.conflictBehavior": "fail"})
    return await drive.items.by_drive_item_id(parent).children.post(body)


async def check_account(client, drive):
    me = await client.me.get()
    assert me.id and me.mail is None and me.user_principal_name == "ann@example.com", me
    mine = await client.me.drive.get()
    assert mine.drive_type == "business" and mine.quota.remaining > 0, mine
    assert (await drive.get()).id == mine.id


async def check_folders(drive):
    root = await drive.root.get()
    assert root.root and root.folder and root.parent_reference.id is None, root
    assert (await drive.items.by_drive_item_id("root").get()).id == root.id
    folder = await create_folder(drive, "root", "Ordner 📁")
    assert folder.folder.child_count == 0 and folder.file is None, folder
    assert folder.parent_reference.id == root.id, folder.parent_reference
    assert folder.parent_reference.path.endswith("/root:"), folder.parent_reference
    await fail(create_folder(drive, "root", "ordner 📁"), 409, "nameAlreadyExists")
    inner = await create_folder(drive, folder.id, "Inner")
    assert inner.parent_reference.path.endswith("/root:/Ordner 📁"), inner.parent_reference
    assert (await drive.items.by_drive_item_id(folder.id).get()).folder.child_count == 1


async def check_files(drive):
    for name in NAMES:
        content = name.encode()
        path = drive.items.by_drive_item_id(f"root:/{name}:")
        created = await path.content.put(content)
        assert created.name == name and created.size == len(content), created
        assert created.file and created.c_tag and created.e_tag and created.last_modified_date_time
        item = drive.items.by_drive_item_id(created.id)
        assert await item.content.get() == content
        assert (await path.get()).id == created.id
        read = await item.get()
        assert (read.c_tag, read.e_tag) == (created.c_tag, created.e_tag), read
        assert read.additional_data["@microsoft.graph.downloadUrl"].startswith("http://"), read
        # The URL of our client: the path is not in one segment.
        quoted = urllib.parse.quote(name, safe="")
        url = f"{API_URL}/drives/{created.parent_reference.drive_id}/root:/{quoted}:/content"
        url += "?@microsoft.graph.conflictBehavior=fail"
        await fail(path.content.with_url(url).put(b"x"), 409, "nameAlreadyExists")
    await fail(drive.items.by_drive_item_id("root:/a*b:").content.put(b"x"), 400, "invalidRequest")


async def check_updates(drive):
    path = drive.items.by_drive_item_id("root:/update.json:")
    created = await path.content.put(b"one")
    item = drive.items.by_drive_item_id(created.id)
    updated = await item.content.put(b"two!", configure(If_Match=created.e_tag))
    assert updated.id == created.id and updated.size == 4, updated
    assert updated.c_tag != created.c_tag and updated.e_tag != created.e_tag, updated
    stale = item.content.put(b"three", configure(If_Match=created.e_tag))
    await fail(stale, 412, "resourceModified")
    assert await item.content.get() == b"two!"


async def check_renames(drive):
    created = await drive.items.by_drive_item_id("root:/old.json:").content.put(b"x")
    item = drive.items.by_drive_item_id(created.id)
    renamed = await item.patch(DriveItem(name="néw.json"), configure(If_Match=created.e_tag))
    assert renamed.name == "néw.json" and renamed.c_tag == created.c_tag, renamed
    assert renamed.e_tag != created.e_tag, renamed
    stale = item.patch(DriveItem(name="x.json"), configure(If_Match=created.e_tag))
    await fail(stale, 412, "resourceModified")
    await fail(item.patch(DriveItem(name="update.JSON")), 409, "nameAlreadyExists")
    await item.delete(configure(If_Match=renamed.e_tag))
    await fail(item.get(), 404, "itemNotFound")
    await fail(item.delete(), 404, "itemNotFound")


async def check_lists(drive):
    folder = await create_folder(drive, "root", "List")
    names = [f"{number}.csv" for number in range(7)]
    for name in names:
        await drive.items.by_drive_item_id(f"{folder.id}:/{name}:").content.put(b"x")
    query = ChildrenRequestBuilder.ChildrenRequestBuilderGetQueryParameters(
        top=3, select=["id", "name", "cTag", "size", "file", "parentReference"])
    children = drive.items.by_drive_item_id(folder.id).children
    page = await children.get(RequestConfiguration(query_parameters=query))
    found, pages = [], 1
    while True:
        for item in page.value:
            assert item.c_tag and item.size == 1 and item.file.mime_type, item
            assert item.e_tag is None and item.web_url is None, "not selected"
            found.append(item.name)
        if page.odata_next_link is None:
            break
        page = await children.with_url(page.odata_next_link).get()
        pages += 1
    assert found == names and pages == 3, (found, pages)
    broken = children.with_url(f"{children_url(folder)}?$skiptoken=x")
    await fail(broken.get(), 400, "invalidRequest")


def children_url(folder):
    """Returns the URL of the list of a folder."""
    return f"{API_URL}/drives/{folder.parent_reference.drive_id}/items/{folder.id}/children"


async def check_errors(client, drive):
    await fail(drive.items.by_drive_item_id("01MISSING").get(), 404, "itemNotFound")
    await fail(client.drives.by_drive_id("b!missing").get(), 404, "itemNotFound")
    await fail(client.shares.by_shared_drive_item_id("u!eA").drive_item.get(), 404, "itemNotFound")
    code = "InvalidAuthenticationToken"
    await fail(connect("wrong").me.get(), 401, code)
    item = await drive.items.by_drive_item_id("root:/update.json:").get()
    url = item.additional_data["@microsoft.graph.downloadUrl"]
    assert requests.get(url, timeout=10).content == b"two!"
    header = {"Authorization": f"Bearer {STAND_IN['access_token']}"}
    assert requests.get(url, headers=header, timeout=10).status_code == 400


async def check_tokens():
    host = urllib.parse.urlsplit(STAND_IN["token_url"]).netloc
    application = msal.ConfidentialClientApplication(
        STAND_IN["client_id"], client_credential=STAND_IN["client_secret"],
        authority=f"https://{host}/common", instance_discovery=False,
        validate_authority=False, http_client=PlainClient())
    scopes = ["User.Read", "Files.ReadWrite"]
    result = application.acquire_token_by_refresh_token(STAND_IN["refresh_token"], scopes)
    assert result.get("access_token") and result["expires_in"] == 3600, result
    assert (await connect(result["access_token"]).me.get()).id
    again = application.acquire_token_by_refresh_token(STAND_IN["refresh_token"], scopes)
    assert again.get("access_token") != result["access_token"], "the old token stays valid"
    refused = application.acquire_token_by_refresh_token("wrong", scopes)
    assert refused["error"] == "invalid_grant" and refused["error_codes"], refused

    flow = application.initiate_auth_code_flow(scopes, redirect_uri=REDIRECT_URI)
    page = requests.get(without_tls(flow["auth_uri"]), allow_redirects=False, timeout=10)
    assert page.status_code == 302, page.text
    answer = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(page.headers["Location"]).query))
    result = application.acquire_token_by_auth_code_flow(dict(flow), answer)
    assert "Files.ReadWrite" in result["scope"], result
    assert (await connect(result["access_token"]).me.drive.get()).id
    repeated = application.acquire_token_by_auth_code_flow(dict(flow), answer)
    assert repeated["error"] == "invalid_grant", repeated


async def main():
    client = connect(STAND_IN["access_token"])
    drive = client.drives.by_drive_id((await client.me.drive.get()).id)
    checks = [
        ("account and drive", check_account(client, drive)),
        ("folders", check_folders(drive)),
        ("files: upload and download", check_files(drive)),
        ("updates with precondition", check_updates(drive)),
        ("renames and deletions", check_renames(drive)),
        ("lists with pages", check_lists(drive)),
        ("errors", check_errors(client, drive)),
        ("tokens with MSAL", check_tokens()),
    ]
    for name, check in checks:
        await check
        print(f"ok: {name}")


asyncio.run(main())
