"""What schemathesis must leave alone: the tokens by which it asks."""

import os

import schemathesis

OWN = os.environ["CHARTROOM_OWN_TOKENS"].split()


@schemathesis.hook
def before_call(context, case, kwargs):
    if case.method.upper() == "DELETE" and case.operation.path.endswith("/user/tokens/{id}"):
        if str((case.path_parameters or {}).get("id")) in OWN:
            case.path_parameters["id"] = "1"
