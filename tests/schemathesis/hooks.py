"""Schemathesis hooks that adjust generated requests to rules that the schema cannot state."""

import base64
import hmac
import itertools
import json
import os
import pathlib
import struct
import time
import urllib.error
import urllib.request
import zlib

import schemathesis
from schemathesis import GenerationMode

# Ids and tokens of the accounts, and the shares, from `run`.
FIXTURES = json.loads(os.environ["CHARTROOM_FIXTURES"])
# Numbers of new names, which no earlier run with the same server has used.
NUMBERS = itertools.count(FIXTURES["round"] * 1_000_000)
# Members that requests may remove.
REMOVABLE = list(FIXTURES["removable"])
# Secret of Ann's second factor while a request uses it.
SECRET = []
SQUARE = '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><path d="M0 0h8v8H0z"/></svg>'


def encode_png():
    """Returns a PNG file with one gray pixel."""

    def chunk(name, content):
        checked = name + content
        return struct.pack(">I", len(content)) + checked + struct.pack(">I", zlib.crc32(checked))

    header = struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)
    data = zlib.compress(b"\x00\x80")
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


PIXEL = encode_png()
# Base address of user provisioning.
SCIM_PATH = "/sso/scim/v2/orgs/{org}"
# A share request has at most one field of each group.
EXCLUSIVE_FIELDS = [("document", "folder"), ("user_id", "email", "team", "link")]


def is_valid(case):
    """Returns whether schemathesis sends the request as a valid one, with all of its parts."""
    if not case.meta or case.meta.generation.mode != GenerationMode.POSITIVE:
        return False
    parts = case.meta.components.values()
    return all(part.mode == GenerationMode.POSITIVE for part in parts)


@schemathesis.hook
def before_call(context, case, kwargs):
    method, path = case.method.upper(), case.operation.path
    if method == "DELETE" and path.endswith("/user/tokens/{id}"):
        # Deleting a token of the test run makes all later requests fail with 401.
        if (case.path_parameters or {}).get("id") in FIXTURES["own_tokens"]:
            case.path_parameters["id"] = "1"
    if method == "GET" and path.endswith("/presence"):
        once = (case.query or {}).get("once")
        # Without it, the response does not end.
        if isinstance(once, (list, dict)) or once in (None, "0", "false", 0, False):
            case.query = {**(case.query or {}), "once": "1"}
    if not is_valid(case):
        return
    has_body = isinstance(case.body, dict)
    if path == "/api/v1/share" and has_body:
        complete_share_request(method, case.body)
    elif path == "/api/v1/render" and has_body:
        simplify_render_request(case)
    elif path == "/api/v1/tables/chart.svg" and isinstance(case.body, list) and next(NUMBERS) % 2:
        case.body, case.query = [{"label": "Vienna", "value": 1}], {"kind": "bar"}
    elif path == "/api/v1/tables/download" and has_body and next(NUMBERS) % 2:
        # The only source that is surely there.
        case.body = {"url": FIXTURES["source"]}
    elif path.startswith("/api/v1/sync/document") and has_body and next(NUMBERS) % 2:
        case.body = {"url": FIXTURES["source"]}
    elif path == "/api/v1/sync/create" and has_body and next(NUMBERS) % 2:
        case.body = {"document_id": FIXTURES["commented_document"], "url": FIXTURES["source"]}
    elif path == "/api/v1/orgs/{org}/settings" and has_body:
        # Without document storage, all later requests that create documents would fail.
        case.body.pop("disable_document_storage", None)
        # It needs an identity provider, which other requests remove.
        case.body.pop("enforce_sso", None)
    elif path.endswith("/settings/layouts") and has_body:
        case.body.setdefault("name", "Wide")
    elif path.endswith("/settings/layouts/{name}"):
        # An earlier request may have removed the preset.
        create_layout_preset(case.operation.base_url, case.path_parameters)
    elif path.endswith("/documents/{doc}/move") and has_body and len(str(case.body)) % 2:
        case.path_parameters.update(create_document(case.operation.base_url, FIXTURES["ann"]))
        case.body = {"folder": f"/Moved {next(NUMBERS)}"}
    elif "{thread}" in path and sum(str(case.path_parameters).encode()) % 2:
        target_new_comment(case.operation.base_url, case.path_parameters)
        if has_body:
            is_move = method == "PUT" and path.endswith("/{thread}")
            case.body = {"position": {"x": 1, "y": 2}} if is_move else {"content": [{"type": "text", "text": "Yes"}]}
    elif "/foreign-folders/{owner}/" in path and len(str(case.path_parameters)) % 2:
        # One of the folders that Ben shares with Ann in this round.
        number = next(NUMBERS) % 30
        case.path_parameters = {"user_id": FIXTURES["ann"], "owner": FIXTURES["ben"], "path": f"Ben's {FIXTURES['round']}-{number}"}
    elif has_body and method == "POST" and path.endswith("/teams") and len(str(case.body)) % 2:
        # Team names must be unique, and generated names are usually already in use.
        case.body = {"name": f"Team {next(NUMBERS)}"}
    elif has_body and "/team" in path and "members" in case.body:
        case.body["members"] = [FIXTURES["ann"], FIXTURES["ben"]][len(str(case.body)) % 3 :]
    elif path == "/api/v1/user/avatar" and method == "PUT" and case.meta.phase.name == "fuzzing":
        case.body = PIXEL
    elif path.startswith("/api/v1/user/second-factor") and has_body:
        use_second_factor(method, path.removeprefix("/api/v1/user/second-factor"), case)
    elif path == "/api/v1/user" and has_body and "password" in case.body:
        # Wrong passwords would delay all later requests with the right one.
        case.body["password"] = case.body["current_password"] = FIXTURES["password"]
    elif path == "/api/v1/user/sessions/{id}" and next(NUMBERS) % 2:
        case.path_parameters["id"] = create_session(case.operation.base_url)
    elif path.startswith("/api/v1/cast/{token}") and next(NUMBERS) % 2:
        # Earlier requests may have ended all sessions, or deleted their documents.
        case.path_parameters["token"] = create_cast_session(case.operation.base_url)
    elif path == "/api/v1/cast/sessions" and has_body and next(NUMBERS) % 2:
        case.body = new_cast_session(case.operation.base_url)
    elif path.startswith("/api/v1/orgs/{org}/") and next(NUMBERS) % 2:
        # The other half of the requests keeps generated values.
        use_organization(method, path.removeprefix("/api/v1/orgs/{org}"), case)
    elif path.startswith(SCIM_PATH) and next(NUMBERS) % 2:
        use_provisioning(method, path.removeprefix(SCIM_PATH), case)


def use_provisioning(method, path, case):
    """Aims a SCIM request at Acme and something that exists there."""
    parameters = case.path_parameters
    parameters["org"] = FIXTURES["org"]
    # Generated parameters are rarely a filter.
    case.query = {}
    account = new_account()
    if path == "/Users/{id}":
        parameters.update(create_managed_account(case.operation.base_url))
    elif path == "/ResourceTypes/{id}":
        parameters["id"] = "User"
    elif path == "/Schemas/{id}":
        parameters["id"] = "urn:ietf:params:scim:schemas:core:2.0:User"
    rename = {"op": "replace", "path": "displayName", "value": account["name"]}
    user = {"displayName": account["name"], "emails": [{"value": account["email"]}]}
    bodies = {
        "POST": {**user, "externalId": account["email"]},
        "PUT": user,
        "PATCH": {"Operations": [rename]},
    }
    if method in bodies:
        case.body, case.media_type = bodies[method], "application/scim+json"


@schemathesis.hook
def after_call(context, case, response):
    if case.operation.path.startswith("/api/v1/user/second-factor") and SECRET:
        # Other requests sign Ann in with the password only.
        body = {"current_password": FIXTURES["password"], "code": compute_code(SECRET.pop(), 1)}
        send_as_ann(case.operation.base_url, "DELETE", "/api/v1/user/second-factor", body)


def use_second_factor(method, path, case):
    """Gives a request for Ann's second factor the right password and the right code."""
    base, password = case.operation.base_url, FIXTURES["password"]
    if "current_password" in case.body:
        case.body["current_password"] = password
    if "code" not in case.body:
        return
    created = post_as_ann(base, "/api/v1/user/second-factor", {"current_password": password})
    if not created:
        return
    SECRET.append(created["secret"])
    if path == "/confirm":
        case.body["code"] = compute_code(SECRET[0], -1)
        return
    # Each code works once, in their order.
    post_as_ann(base, "/api/v1/user/second-factor/confirm", {"code": compute_code(SECRET[0], -1)})
    case.body["code"] = compute_code(SECRET[0], 0)


def compute_code(secret, steps):
    """Returns the code of an authenticator app for a time that is `steps` steps later (RFC 6238)."""
    step = int(time.time()) // 30 + steps
    tag = hmac.digest(base64.b32decode(secret), struct.pack(">q", step), "sha1")
    start = tag[-1] & 15
    number = struct.unpack(">I", tag[start : start + 4])[0] & 0x7FFFFFFF
    return f"{number % 1_000_000:06}"


def use_organization(method, path, case):
    """Aims a request for people, domains, themes or assets at Acme and something that exists there."""
    base, parameters = case.operation.base_url, case.path_parameters
    prepare = {
        "/users/{id}": create_managed_account,
        "/users/{id}/send": create_managed_account,
        "/users/{id}/second-factor": create_managed_account,
        "/invite/{id}": create_invite,
        "/invites/{id}/send": create_invite,
        "/domains/{domain}": create_domain,
        "/themes/{name}": create_theme,
    }
    bodies = {
        "POST /users": confirmed_account,
        "POST /users/check": lambda _: new_account(),
        "PATCH /users/{id}": lambda _: {"name": f"Person {next(NUMBERS)}"},
        "POST /invites": lambda _: new_invite(),
        "POST /invites/check": lambda _: new_invite(),
        "POST /domains": lambda _: new_domain(),
        "PUT /sso": lambda _: new_provider(),
        "POST /themes": lambda _: new_theme(),
        "PUT /themes/{name}": lambda _: new_theme(),
        "PUT /assets/{filename}": lambda _: SQUARE.encode(),
    }
    if path in prepare:
        parameters.update(prepare[path](base))
    elif path == "/sso" and method != "PUT":
        send_as_ann(base, "PUT", f"/api/v1/orgs/{FIXTURES['org']}/sso", new_provider())
    elif path == "/domains/{domain}/verify":
        parameters["domain"] = FIXTURES["domain"]
    elif path == "/assets/{filename}" and method == "PUT":
        parameters["filename"] = f"square-{next(NUMBERS)}.svg"
    elif path == "/members/remove" and REMOVABLE:
        case.body = {"id": [REMOVABLE.pop()]}
        case.media_type = "application/json"
    elif f"{method} {path}" not in bodies:
        return
    parameters["org"] = FIXTURES["org"]
    if f"{method} {path}" in bodies:
        case.body = bodies[f"{method} {path}"](base)


def create_session(base):
    """Signs Ann in. Returns the id of the session."""
    credentials = {"email": "ann@example.org", "password": FIXTURES["password"]}
    post_as_ann(base, "/api/v1/session", credentials)
    sessions = send_as_ann(base, "GET", "/api/v1/user/sessions")
    return sessions[0]["id"] if sessions else "none"


def new_cast_session(base):
    """Creates a document of Ann. Returns the body that shows it on a screen."""
    document = post_as_ann(base, "/api/v1/create-document", {"widget": "bar"}) or {}
    return {"document_id": document.get("id"), "device_name": "Hall"}


def create_cast_session(base):
    """Shows a new document of Ann on a screen. Returns the token of the screen."""
    session = post_as_ann(base, "/api/v1/cast/sessions", new_cast_session(base))
    return session["token"] if session else "none"


def new_account():
    """Returns the body that creates a managed account."""
    number = next(NUMBERS)
    return {"name": f"Person {number}", "email": f"person{number}@{FIXTURES['domain']}"}


def confirmed_account(base):
    """Returns the body that creates a managed account, with the confirmation of a check."""
    body = new_account()
    checked = post_as_ann(base, "/api/v1/orgs/acme/users/check", body) or {}
    if "confirmation" in checked:
        body["confirmation"] = checked["confirmation"]
    return body


def create_managed_account(base):
    """Creates a managed account. Returns its path parameter."""
    created = post_as_ann(base, "/api/v1/orgs/acme/users", confirmed_account(base))
    return {"id": created["id"]} if created else {}


def new_invite():
    """Returns the body that invites a new address."""
    return {"emails": [f"guest{next(NUMBERS)}@example.org"]}


def create_invite(base):
    """Creates an invite. Returns its path parameter."""
    body = new_invite()
    post_as_ann(base, "/api/v1/orgs/acme/invites", body)
    invites = send_as_ann(base, "GET", "/api/v1/orgs/acme/invites")["invites"]
    return {"id": invite["id"] for invite in invites if invite["email"] == body["emails"][0]}


def new_domain():
    """Returns the body that registers a new domain."""
    return {"domain": f"n{next(NUMBERS)}.test"}


def create_domain(base):
    """Registers a domain. Returns its path parameter."""
    body = new_domain()
    post_as_ann(base, "/api/v1/orgs/acme/domains", body)
    return body


def new_theme():
    """Returns the body that creates a theme."""
    number = next(NUMBERS)
    return {"name": f"theme-{number}", "title": f"Theme {number}", "colors": ["#1f77b4", "#ff7f0e"]}


def new_provider():
    """Returns the body that sets an identity provider."""
    path = pathlib.Path(__file__).parent.parent / "it/sso_settings/valid.pem"
    return {
        "entity_id": f"https://idp.example/{next(NUMBERS)}",
        "certificate": path.read_text(),
        "sign_in_url": "https://idp.example/sso",
    }


def create_theme(base):
    """Creates a theme. Returns its path parameter."""
    body = new_theme()
    post_as_ann(base, "/api/v1/orgs/acme/themes", body)
    return {"name": body["name"]}


def simplify_render_request(case):
    """Sets an existing chart kind. Half of the requests keep only the kind, the title and the data."""
    length = len(str(case.body))
    case.body.pop("widget", None)
    case.body["plugin_id"] = ("bar", "pie", "table")[length % 3]
    if length % 2:
        case.body = {key: case.body[key] for key in ("plugin_id", "title", "data") if key in case.body}
        case.query = {}


def complete_share_request(method, body):
    """Keeps one shared node and one recipient in a share request.

    Half of the requests other than POST name a share from the fixtures, because a random share rarely
    exists.
    """
    if not body.get("owner"):
        body["owner"] = FIXTURES["ann"]
    for group in EXCLUSIVE_FIELDS:
        for surplus in [name for name in group if name in body][1:]:
            del body[surplus]
    if method != "POST" and len(str(body)) % 2:
        for group in EXCLUSIVE_FIELDS:
            for name in group:
                body.pop(name, None)
        body.update(FIXTURES["shares"][len(str(body)) % len(FIXTURES["shares"])])


def create_layout_preset(base, parameters):
    """Creates the layout preset named in the path. The preset belongs to the organization Acme."""
    preset = {"name": parameters["name"], "width": 800, "height": 400}
    post_as_ann(base, "/api/v1/orgs/acme/settings/layouts", preset)


def target_new_comment(base, parameters):
    """Creates a thread with a comment and sets the path parameters to its ids."""
    # Comments in documents of a user cannot be deleted.
    document = create_document(base, FIXTURES["org"])
    comments = f"/api/v1/users/{document['user_id']}/documents/{document['doc']}/comments"
    content = [{"type": "text", "text": "Why?"}]
    thread = post_as_ann(base, comments, {"position": {"x": 1, "y": 2}, "content": content})
    if thread:
        parameters.update(document, thread=thread["id"])
        if "comment" in parameters:
            parameters["comment"] = thread["comments"][0]["id"]


def create_document(base, owner):
    """Creates a document of Ann or of the organization. Returns its path parameters.

    Earlier requests may have removed all other documents.
    """
    created = post_as_ann(base, "/api/v1/create-document", {"widget": "bar", "owner": owner})
    return {"user_id": owner, "doc": created["id"] if created else "1"}


def post_as_ann(base, path, body):
    """Sends a POST request as Ann. Returns the same as `send_as_ann`."""
    return send_as_ann(base, "POST", path, body)


def send_as_ann(base, method, path, body=None):
    """Sends a request as Ann.

    Returns the parsed response, or None for an error response or an empty body.
    """
    request = urllib.request.Request(
        base.rstrip("/") + path,
        method=method,
        headers={"Authorization": f"Bearer {FIXTURES['token']}", "Content-Type": "application/json"},
        data=None if body is None else json.dumps(body).encode(),
    )
    try:
        with urllib.request.urlopen(request, timeout=30) as response:
            text = response.read()
    except urllib.error.HTTPError:
        return None
    return json.loads(text) if text else None
