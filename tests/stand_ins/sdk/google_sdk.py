"""Drives the stand-in of Google Drive with the official Python client.

The first argument is the line of JSON that the program `stand_in googledrive` writes. Validates resources
against the discovery documents of the client.
"""

import io
import json
import os
import sys
import urllib.error
import urllib.request

import tls_forwarder

SETTINGS = json.loads(sys.argv[1])
PORT, CA_FILE = tls_forwarder.start(SETTINGS["api_url"])
# httplib2 reads the variable when it is loaded.
os.environ["HTTPLIB2_CA_CERTS"] = CA_FILE

import google.auth.exceptions
import google.auth.transport.requests
import jsonschema
from google.oauth2.credentials import Credentials
from googleapiclient import discovery_cache
from googleapiclient.discovery import build
from googleapiclient.errors import HttpError
from googleapiclient.http import MediaInMemoryUpload
from googleapiclient.http import MediaIoBaseDownload

FOLDER = "application/vnd.google-apps.folder"
SHEET = "application/vnd.google-apps.spreadsheet"
SHORTCUT = "application/vnd.google-apps.shortcut"
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
NAMES = ["Größe \"Q1\" 'x'.json", "図表 📈.json", "back\\slash'\\.json"]


def check(name, condition, details=None):
    """Prints the result of a check and ends the program if it failed."""
    if not condition:
        print("FAIL", name, repr(details))
        sys.exit(1)
    print("ok  ", name)


def credentials(token, refresh_token=SETTINGS["refresh_token"]):
    """Returns credentials with an access token and a refresh token."""
    return Credentials(token, refresh_token=refresh_token, token_uri=SETTINGS["token_url"],
                       client_id=SETTINGS["client_id"], client_secret=SETTINGS["client_secret"])


def service(version, token=SETTINGS["access_token"]):
    """Returns the client of a version of the API."""
    endpoint = f"https://127.0.0.1:{PORT}/drive/{version}/"
    return build("drive", version, credentials=credentials(token),
                 client_options={"api_endpoint": endpoint}, static_discovery=True)


def convert(schema):
    """Converts a schema of a discovery document to JSON Schema that permits no other properties."""
    if isinstance(schema, list):
        return [convert(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    result = {}
    for key, value in schema.items():
        if key == "$ref":
            result[key] = f"#/schemas/{value}"
        elif key == "properties":
            result[key] = {name: convert(inner) for name, inner in value.items()}
        elif key in ("items", "additionalProperties"):
            result[key] = convert(value)
        elif key in ("type", "enum", "pattern"):
            result[key] = value
    if "properties" in result:
        result.setdefault("additionalProperties", False)
    return result


def validators(version):
    """Returns a function that validates a value against a schema of a version of the API."""
    document = json.loads(discovery_cache.get_static_doc("drive", version))
    schemas = {name: convert(schema) for name, schema in document["schemas"].items()}

    def validate(name, value):
        schema = {"$ref": f"#/schemas/{name}", "schemas": schemas}
        errors = list(jsonschema.Draft7Validator(schema).iter_errors(value))
        check(f"{version} {name} has the published form", not errors, errors)

    return validate


def expect_error(name, status, reason, request):
    """Checks that a request fails with a status and a reason."""
    try:
        result = request.execute()
        check(name, False, result)
    except HttpError as error:
        found = [detail.get("reason") for detail in error.error_details]
        check(name, error.status_code == status and found == [reason], (error, found))


def download(request):
    """Returns the content of a download."""
    buffer = io.BytesIO()
    downloader = MediaIoBaseDownload(buffer, request)
    done = False
    while not done:
        _, done = downloader.next_chunk()
    return buffer.getvalue()


def list_all(files, query, size):
    """Returns all files of a query and the number of pages."""
    request = files.list(q=query, pageSize=size, orderBy="folder,name_natural", fields="*",
                         supportsAllDrives=True, includeItemsFromAllDrives=True)
    found, pages = [], 0
    while request is not None:
        page = request.execute()
        VALIDATE_3("FileList", page)
        found.extend(page["files"])
        pages += 1
        request = files.list_next(request, page)
    return found, pages


VALIDATE_3, VALIDATE_2 = validators("v3"), validators("v2")
DRIVE = service("v3")
FILES = DRIVE.files()
LEGACY = service("v2").files()


def check_account():
    about = DRIVE.about().get(fields="*").execute()
    VALIDATE_3("About", about)
    user = about["user"]
    check("account", user["emailAddress"] == "ada@example.com" and user["permissionId"], user)
    expect_error("about requires fields", 400, "required", DRIVE.about().get())


def check_creation():
    """Creates a folder with files and returns their ids."""
    body = {"name": "Folder", "mimeType": FOLDER}
    folder = FILES.create(body=body, fields="*").execute()
    VALIDATE_3("File", folder)
    root = FILES.get(fileId="root", fields="*").execute()
    VALIDATE_3("File", root)
    check("create folder", folder["parents"] == [root["id"]] and "size" not in folder, folder)
    short = FILES.get(fileId=folder["id"]).execute()
    check("default fields", sorted(short) == ["id", "kind", "mimeType", "name"], short)
    ids = []
    for name in NAMES:
        content = name.encode() + b"\r\n--==\n\x00\xff"
        media = MediaInMemoryUpload(content, mimetype="application/json")
        body = {"name": name, "parents": [folder["id"]]}
        file = FILES.create(body=body, media_body=media, fields="*").execute()
        VALIDATE_3("File", file)
        check("upload", file["name"] == name and file["size"] == str(len(content)), file)
        check("download", download(FILES.get_media(fileId=file["id"])) == content)
        ids.append(file["id"])
        escaped = name.replace("\\", "\\\\").replace("'", "\\'")
        query = f"'{folder['id']}' in parents and name = '{escaped}' and trashed = false"
        found = FILES.list(q=query).execute()
        check("search for a name", [file["id"] for file in found["files"]] == ids[-1:], found)
    empty = FILES.create(media_body=MediaInMemoryUpload(b"1,2", mimetype="text/csv")).execute()
    check("upload without metadata", empty["mimeType"] == "text/csv", empty)
    return folder["id"], ids


def check_list(folder, ids):
    query = f"'{folder}' in parents and trashed=false"
    found, pages = list_all(FILES, query, 2)
    check("list", sorted(file["id"] for file in found) == sorted(ids) and pages == 2, found)
    expect_error("unknown page token", 400, "invalid", FILES.list(q=query, pageToken="x"))
    expect_error("invalid query", 400, "invalid", FILES.list(q="name ="))
    expect_error("invalid fields", 400, "invalidParameter", FILES.list(fields="files(x)"))
    query = "'missing' in parents"
    expect_error("list of a missing folder", 404, "notFound", FILES.list(q=query))


def check_update(file):
    before = FILES.get(fileId=file, fields="*").execute()
    old = LEGACY.get(fileId=file).execute()
    VALIDATE_2("File", old)
    check("same revision in both versions", old["headRevisionId"] == before["headRevisionId"])
    body = MediaInMemoryUpload(b"new", mimetype="application/json")
    request = LEGACY.update(fileId=file, media_body=body)
    request.headers["If-Match"] = old["etag"]
    new = request.execute()
    VALIDATE_2("File", new)
    check("conditional update", new["etag"] != old["etag"], new)
    check("new revision", new["headRevisionId"] != old["headRevisionId"], new)
    check("updated content", download(FILES.get_media(fileId=file)) == b"new")
    request = LEGACY.update(fileId=file, media_body=body)
    request.headers["If-Match"] = old["etag"]
    expect_error("stale update", 412, "conditionNotMet", request)
    body = MediaInMemoryUpload(b"newer", mimetype="application/json")
    newer = FILES.update(fileId=file, body={}, media_body=body, fields="*").execute()
    check("update without condition", newer["size"] == "5", newer)
    check("version grows", int(newer["version"]) > int(before["version"]), newer)


def check_rename_and_delete(folder, ids):
    before = FILES.get(fileId=ids[0], fields="*").execute()
    after = FILES.update(fileId=ids[0], body={"name": "neu 📄"}, fields="*").execute()
    check("rename", after["name"] == "neu 📄", after)
    check("rename keeps the revision", after["headRevisionId"] == before["headRevisionId"])
    trashed = FILES.update(fileId=ids[0], body={"trashed": True}, fields="*").execute()
    VALIDATE_3("File", trashed)
    check("trash", trashed["trashed"] and trashed["explicitlyTrashed"], trashed)
    found, _ = list_all(FILES, f"'{folder}' in parents and trashed = false", 100)
    check("list without the trash", len(found) == len(ids) - 1, found)
    check("delete", FILES.delete(fileId=ids[1]).execute() in ("", b"", None))
    expect_error("deleted file", 404, "notFound", FILES.get(fileId=ids[1]))
    expect_error("missing file", 404, "notFound", FILES.get(fileId="missing"))
    FILES.update(fileId=folder, body={"trashed": True}).execute()
    inner = FILES.get(fileId=ids[2], fields="*").execute()
    check("file of a folder in the trash", inner["trashed"] and not inner["explicitlyTrashed"])


def check_native_files():
    sheet = FILES.create(body={"name": "Sheet", "mimeType": SHEET}, fields="*").execute()
    VALIDATE_3("File", sheet)
    check("native spreadsheet has no revision", "headRevisionId" not in sheet, sheet)
    check("export", FILES.export(fileId=sheet["id"], mimeType=XLSX).execute() == b"")
    media = FILES.export_media(fileId=sheet["id"], mimeType=XLSX).execute()
    check("export with alt=media", media == b"", media)
    expect_error("content of a native file", 403, "fileNotDownloadable",
                 FILES.get_media(fileId=sheet["id"]))
    body = {"name": "link", "mimeType": SHORTCUT, "shortcutDetails": {"targetId": sheet["id"]}}
    shortcut = FILES.create(body=body, fields="*").execute()
    VALIDATE_3("File", shortcut)
    details = shortcut["shortcutDetails"]
    check("shortcut", details == {"targetId": sheet["id"], "targetMimeType": SHEET}, details)
    VALIDATE_2("File", LEGACY.get(fileId=shortcut["id"]).execute())


def check_tokens():
    about = service("v3", token="outdated").about().get(fields="user").execute()
    check("refresh after 401", "user" in about, about)
    transport = google.auth.transport.requests.Request()
    fresh = credentials(None)
    fresh.refresh(transport)
    check("refresh", fresh.valid and fresh.expiry is not None, fresh.token)
    check("refresh token stays", fresh.refresh_token == SETTINGS["refresh_token"])
    try:
        credentials(None, refresh_token="unknown").refresh(transport)
        check("unknown refresh token", False)
    except google.auth.exceptions.RefreshError as error:
        check("unknown refresh token", error.args[1]["error"] == "invalid_grant", error)
    # The client never shows this error, because it tries to refresh the token.
    url = SETTINGS["api_url"] + "/drive/v3/about?fields=user"
    request = urllib.request.Request(url, headers={"Authorization": "Bearer unknown"})
    try:
        urllib.request.urlopen(request)
        check("unknown access token", False)
    except urllib.error.HTTPError as error:
        reason = json.load(error)["error"]["errors"][0]["reason"]
        check("unknown access token", error.code == 401 and reason == "authError", reason)


def main():
    check_account()
    folder, ids = check_creation()
    check_list(folder, ids)
    check_update(ids[0])
    check_rename_and_delete(folder, ids)
    check_native_files()
    check_tokens()
    print("all checks passed")


main()
