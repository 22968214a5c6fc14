"""Checks the stand-in of Smartsheet with the official SDK.

Usage: smartsheet_sdk.py LINE, where LINE is the line of JSON that `stand_in smartsheet` writes. Prints one
line per check, and ends with status 1 at the first failure.
"""

import hashlib
import io
import json
import logging
import sys
import tempfile
import urllib.parse
from pathlib import Path

import requests
import smartsheet

LINE = json.loads(sys.argv[1])
API = LINE["api_url"] + "/2.0"
NAMES = ["Überblick 概要.chart.json", 'quo"ted \\ plus+.chart.json', "🙂 emoji.chart.json"]


def check(title, condition):
    """Prints a check. Ends the program if it failed."""
    print(("ok      " if condition else "FAILED  ") + title)
    if not condition:
        sys.exit(1)


def connect(token):
    """Returns a client of the SDK that raises no exceptions and does not repeat requests."""
    return smartsheet.Smartsheet(access_token=token, api_base=API, max_retry_time=0)


def is_error(response, status, code):
    """Returns whether a response is this error of the API."""
    is_of_type = isinstance(response, smartsheet.models.Error)
    return is_of_type and (response.result.status_code, response.result.code) == (status, code)


def hash_of(secret):
    """Returns the hash that token requests send in place of the client secret."""
    return hashlib.sha256(f"{LINE['client_secret']}|{secret}".encode()).hexdigest()


def check_folders(client):
    """Checks workspaces and folders. Returns the workspace and the sheet of the example."""
    team = client.Workspaces.list_workspaces().data[0]
    check("workspace of the example, id above 2^53", team.name == "Team" and team.id > 2**53)
    created = [client.Workspaces.create_workspace({"name": name}) for name in NAMES]
    check("create workspaces", [item.result.name for item in created] == NAMES)
    names, key, pages = [], None, 0
    while pages == 0 or key:
        page = client.Workspaces.list_workspaces(last_key=key, max_items=1)
        names += [item.name for item in page.data]
        key, pages = page.last_key, pages + 1
    check("list workspaces in pages", names == ["Team"] + NAMES and pages == 4)
    check("wrong lastKey", is_error(client.Workspaces.list_workspaces(last_key="x"), 400, 1018))
    metadata = client.Workspaces.get_workspace_metadata(created[0].result.id)
    check("metadata of a workspace", metadata.name == NAMES[0])

    outer = client.Workspaces.create_folder_in_workspace(team.id, NAMES[0]).result
    inner = client.Folders.create_folder_in_folder(outer.id, NAMES[1]).result
    check("create folders", (outer.name, inner.name) == (NAMES[0], NAMES[1]))
    check("metadata of a folder", client.Folders.get_folder_metadata(inner.id).name == NAMES[1])
    path = client.Folders.get_folder_path(inner.id)
    check("path of a folder", path.id == team.id and path.get_leaf_folder().id == inner.id)
    types = ["sheets", "folders"]
    page = client.Workspaces.get_workspace_children(team.id, children_resource_types=types)
    kinds = [(type(item).__name__, item.name) for item in page.data]
    wanted = [("Sheet", "Sales"), ("Folder", "Reports"), ("Folder", NAMES[0])]
    check("children of a workspace", kinds == wanted and page.last_key is None)
    sheet = page.data[0]
    page = client.Workspaces.get_workspace_children(team.id, max_items=2)
    rest = client.Workspaces.get_workspace_children(team.id, last_key=page.last_key)
    check("children in pages", len(page.data) == 2 and [rest.data[0].name] == [NAMES[0]])
    page = client.Folders.get_folder_children(outer.id, children_resource_types=["folders"])
    check("children of a folder", [item.id for item in page.data] == [inner.id])

    check("delete a folder", client.Folders.delete_folder(outer.id).message == "SUCCESS")
    check("deleted with content", is_error(client.Folders.get_folder_metadata(inner.id), 404, 1006))
    deleted = client.Workspaces.delete_workspace(created[0].result.id)
    check("delete a workspace", deleted.result_code == 0)
    return team, sheet


def check_sheet(client, team, example):
    """Checks the sheet of the example."""
    sheet = client.Sheets.get_sheet(example.id, level=2, exclude="nonexistentCells")
    titles = [column.title for column in sheet.columns]
    check("columns", titles == ["Item", "Day", "Amount", "Paid"])
    kinds = [str(column.type) for column in sheet.columns]
    check("types", kinds == ["TEXT_NUMBER", "DATE", "TEXT_NUMBER", "CHECKBOX"])
    check("row count", sheet.total_row_count == 3 and len(sheet.rows) == 3)
    values = [[cell.value for cell in row.cells] for row in sheet.rows]
    wanted = [["Pears", "2026-01-31", 12.5, True], ["Apples", "2026-02-01", 40, False], ["Plums"]]
    check("values without empty cells", values == wanted)
    check("display values", sheet.rows[0].cells[2].display_value == "12.5")
    full = client.Sheets.get_sheet(example.id)
    check("empty cells", [len(row.cells) for row in full.rows] == [4, 4, 4])
    page = client.Sheets.get_sheet(example.id, page=2, page_size=2)
    check("second page", [row.row_number for row in page.rows] == [3])
    check("version", client.Sheets.get_sheet_version(example.id).version == sheet.version == 1)
    same = client.Sheets.get_sheet(example.id, if_version_after=1)
    check("unchanged version", same.version == 1 and len(same.rows) == 0)
    listed = client.Sheets.list_sheets(page=1, page_size=1)
    check("list sheets", listed.data[0].id == example.id and listed.total_count == 1)
    check("permalink", listed.data[0].permalink == sheet.permalink)
    path = client.Sheets.get_sheet_path(example.id)
    check("path of a sheet", path.id == team.id and path.get_leaf_sheet_path() == "/Team/Sales")
    status = client.Sheets.get_publish_status(example.id)
    check("not published", status.read_only_full_enabled is False and not status.read_only_full_url)
    check("missing sheet", is_error(client.Sheets.get_sheet(1), 404, 1006))


def upload(name, content):
    """Returns a file as the SDK takes it."""
    return (name, io.BytesIO(content), "application/json")


def read(client, sheet, attachment):
    """Downloads a version of a file with the SDK."""
    found = client.Attachments.get_attachment(sheet, attachment)
    with tempfile.TemporaryDirectory() as directory:
        client.Attachments.download_attachment(found, directory, "content")
        return Path(directory, "content").read_bytes()


def check_attachments(client, sheet):
    """Checks files that are attached to a sheet."""
    attachments = client.Attachments
    files = []
    for index, name in enumerate(NAMES):
        content = bytes(range(256)) * 10 * index + b"\r\n--"
        added = attachments.attach_file_to_sheet(sheet, upload(name, content)).result
        check(f"upload {name}", added.name == name and added.id > 2**53)
        check("content", read(client, sheet, added.id) == content)
        files.append(added)
    check("size", [file.size_in_kb for file in files] == [1, 3, 6])
    check("type", str(files[0].attachment_type) == "FILE" and files[0].mime_type == "application/json")
    check("parent", str(files[0].parent_type) == "SHEET" and files[0].parent_id == sheet)
    listed = [attachments.list_all_attachments(sheet, page=page, page_size=2) for page in (1, 2)]
    names = [file.name for page in listed for file in page.data]
    check("list in pages", names == NAMES and listed[0].total_pages == 2)

    first = files[0].id
    second = attachments.attach_new_version(sheet, first, upload(NAMES[0], b"second")).result
    check("new version has a new id", second.id != first)
    for known in (first, second.id):
        versions = attachments.list_attachment_versions(sheet, known).data
        check("versions, newest first", [file.id for file in versions] == [second.id, first])
    listed = attachments.list_all_attachments(sheet, include_all=True).data
    ids = [file.id for file in listed]
    check("list has the newest version", second.id in ids and first not in ids and len(ids) == 3)
    check("old version stays", read(client, sheet, first) == b"\r\n--")
    check("new content", read(client, sheet, second.id) == b"second")
    url = {"name": "Page", "url": "https://example.com/", "attachmentType": "LINK"}
    link = attachments.attach_url_to_sheet(sheet, smartsheet.models.Attachment(url)).result
    check("attach a link", str(link.attachment_type) == "LINK")

    attachments.delete_attachment(sheet, second.id)
    check("delete one version", is_error(attachments.get_attachment(sheet, second.id), 404, 1006))
    check("the other stays", attachments.get_attachment(sheet, first).name == NAMES[0])
    attachments.attach_new_version(sheet, first, upload(NAMES[0], b"third"))
    check("delete all versions", attachments.delete_attachment_versions(sheet, first).result_code == 0)
    check("all are deleted", is_error(attachments.list_attachment_versions(sheet, first), 404, 1006))
    check("missing file", is_error(attachments.get_attachment(sheet, 1), 404, 1006))
    found = attachments.get_attachment(sheet, files[1].id)
    refused = requests.get(found.url, headers={"Authorization": "Bearer x"}, timeout=10)
    check("download refuses a token", refused.status_code == 400)
    check("download once", requests.get(found.url, timeout=10).status_code == 200)
    check("used URL", requests.get(found.url, timeout=10).status_code == 403)


def check_tokens(client):
    """Checks consent, exchange, refresh and revocation."""
    redirect_uri = "https://charts.example/callback"
    parameters = {"response_type": "code", "client_id": LINE["client_id"], "state": "s"}
    parameters["redirect_uri"] = redirect_uri
    page = requests.get(LINE["auth_url"], params=parameters, allow_redirects=False, timeout=10)
    location = urllib.parse.urlsplit(page.headers["Location"])
    answer = dict(urllib.parse.parse_qsl(location.query))
    check("consent", answer["state"] == "s" and page.status_code == 302)
    code, client_id = answer["code"], LINE["client_id"]
    wrong = client.Token.get_access_token(client_id, code, "00", redirect_uri)
    check("wrong hash", is_error(wrong, 403, 1004))
    token = client.Token.get_access_token(client_id, code, hash_of(code), redirect_uri)
    check("exchange a code", token.token_type == "bearer" and token.expires_in == 604799)
    again = client.Token.get_access_token(client_id, code, hash_of(code), redirect_uri)
    check("a code is valid once", is_error(again, 403, 1004))
    old = token.refresh_token
    new = client.Token.refresh_access_token(client_id, old, hash_of(old))
    check("refresh", new.access_token != token.access_token and new.refresh_token != old)
    again = client.Token.refresh_access_token(client_id, old, hash_of(old))
    check("a refresh token is valid once", is_error(again, 403, 1004))
    fresh = connect(new.access_token)
    check("the new token is valid", fresh.Users.get_current_user().email == "ann@example.com")
    check("revoke", fresh.Token.revoke_access_token().message == "SUCCESS")
    check("revoked token", is_error(fresh.Users.get_current_user(), 401, 1002))
    check("unknown token", is_error(connect("x").Users.get_current_user(), 401, 1002))
    bare = requests.get(API + "/users/me", timeout=10)
    check("no token", (bare.status_code, bare.json()["errorCode"]) == (401, 1001))


def main():
    """Runs all checks."""
    # The SDK writes each expected error to its log.
    logging.disable(logging.CRITICAL)
    client = connect(LINE["access_token"])
    user = client.Users.get_current_user()
    check("account", user.email == "ann@example.com" and user.id == 2**53 + 1)
    team, sheet = check_folders(client)
    check_sheet(client, team, sheet)
    check_attachments(client, sheet.id)
    check_tokens(client)
    deleted = client.Sheets.delete_sheet(sheet.id)
    check("delete a sheet", deleted.message == "SUCCESS")
    check("deleted sheet", is_error(client.Sheets.get_sheet_version(sheet.id), 404, 1006))


main()
