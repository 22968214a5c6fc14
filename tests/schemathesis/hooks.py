"""What schemathesis cannot know: by which tokens it asks, and what makes a good request good."""

import itertools
import json
import os
import urllib.error
import urllib.request

import schemathesis
from schemathesis import GenerationMode

# Of the people by their names, their tokens and what they share.
KNOWN = json.loads(os.environ["CHARTROOM_KNOWN"])
TEAMS = itertools.count()
# Of each line a request has one at most.
ONE_OF = [("document", "folder"), ("user_id", "email", "team", "link")]


@schemathesis.hook
def before_call(context, case, kwargs):
    method, path = case.method.upper(), case.operation.path
    if method == "DELETE" and path.endswith("/user/tokens/{id}"):
        # Without these the run would end.
        if (case.path_parameters or {}).get("id") in KNOWN["own_tokens"]:
            case.path_parameters["id"] = "1"
    if not case.meta or case.meta.generation.mode != GenerationMode.POSITIVE:
        return
    has_body = isinstance(case.body, dict)
    if path == "/api/v1/share" and has_body:
        name_one(method, case.body)
    elif path == "/api/v1/render" and has_body:
        draw_one(case)
    elif path.endswith("/settings/layouts") and has_body:
        case.body.setdefault("name", "Wide")
    elif path.endswith("/settings/layouts/{name}"):
        # Others have removed it.
        make_preset(case.operation.base_url, case.path_parameters)
    elif "{thread}" in path and sum(str(case.path_parameters).encode()) % 2:
        aim_at_comment(case.operation.base_url, case.path_parameters)
    elif has_body and method == "POST" and path.endswith("/teams") and len(str(case.body)) % 2:
        # A name that is not taken is rarely drawn.
        case.body = {"name": f"Team {next(TEAMS)}"}
    elif has_body and "/team" in path and "members" in case.body:
        case.body["members"] = [KNOWN["ann"], KNOWN["ben"]][len(str(case.body)) % 3 :]


def draw_one(case):
    """Has a good request draw a kind that there is, half of them with nothing else that could be refused."""
    length = len(str(case.body))
    case.body.pop("widget", None)
    case.body["plugin_id"] = ("bar", "pie", "table")[length % 3]
    if length % 2:
        case.body = {key: case.body[key] for key in ("plugin_id", "title", "data") if key in case.body}
        case.query = {}


def name_one(method, body):
    """Keeps one shared node and one recipient in a valid request."""
    if not body.get("owner"):
        body["owner"] = KNOWN["ann"]
    for names in ONE_OF:
        for surplus in [it for it in names if it in body][1:]:
            del body[surplus]
    # Half of those about a share that there must be are about one that there was at first.
    if method != "POST" and len(str(body)) % 2:
        for names in ONE_OF:
            for name in names:
                body.pop(name, None)
        body.update(KNOWN["shares"][len(str(body)) % len(KNOWN["shares"])])


def make_preset(base, parameters):
    """A layout preset of the name in a path, if there is such an organization."""
    preset = {"name": parameters["name"], "width": 800, "height": 400}
    make(base, "/api/v1/orgs/acme/settings/layouts", preset)


def aim_at_comment(base, parameters):
    """Has a path lead to a comment that there is, in a thread that nobody has removed yet."""
    place = {"user_id": KNOWN["org"], "doc": KNOWN["discussed"]}
    comments = f"/api/v1/users/{place['user_id']}/documents/{place['doc']}/comments"
    content = [{"type": "text", "text": "Why?"}]
    thread = make(base, comments, {"position": {"x": 1, "y": 2}, "content": content})
    if thread:
        parameters.update(place, thread=thread["id"])
        if "comment" in parameters:
            parameters["comment"] = thread["comments"][0]["id"]


def make(base, path, body):
    """What a POST of Ann's answers; nothing when it is refused."""
    request = urllib.request.Request(
        base.rstrip("/") + path,
        headers={"Authorization": f"Bearer {KNOWN['token']}", "Content-Type": "application/json"},
        data=json.dumps(body).encode(),
    )
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            text = answer.read()
    except urllib.error.HTTPError:
        return None
    return json.loads(text) if text else None
