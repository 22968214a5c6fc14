#!/usr/bin/env python3
"""Provisions users with scim2-client, which checks every response against strict models.

Usage: client.py URL, where URL is the base address of the service. The environment variable SCIM_TOKEN
has the API token. The organization must have verified the domain acme.example.
"""

import os
import sys

from httpx2 import Client
from scim2_client import SCIMClientException
from scim2_client.engines.httpx2 import SyncSCIMClient
from scim2_models import Email, Name, PatchOp, PatchOperation, ResponseParameters, SearchRequest, User


def check(condition, message):
    """Ends the program if the condition is false."""
    if not condition:
        sys.exit(f"failed: {message}")


def new_user(name):
    """Returns a user with this name."""
    address = f"{name.lower()}@acme.example"
    return User(
        external_id=name.lower(),
        user_name=address,
        display_name=name,
        name=Name(given_name=name, family_name="Vogt"),
        emails=[Email(value=address, type="work", primary=True)],
    )


def main():
    http = Client(base_url=sys.argv[1], headers={"Authorization": f"Bearer {os.environ['SCIM_TOKEN']}"})
    scim = SyncSCIMClient(http)
    scim.discover()
    steps = 0

    created = [scim.create(new_user(name)) for name in ("Vera", "Max", "Ida")]
    check(all(user.id and user.meta.location for user in created), f"create: {created}")
    steps += 1

    vera = scim.query(User, created[0].id)
    check(vera == created[0] and vera.name.family_name == "Vogt", f"read: {vera}")
    steps += 1

    found = scim.query(User, query_parameters=SearchRequest(filter='userName eq "MAX@acme.example"'))
    check([user.id for user in found.resources] == [created[1].id], f"filter: {found}")
    steps += 1

    pages = []
    for start in (1, 3):
        page = scim.query(User, query_parameters=SearchRequest(start_index=start, count=2))
        check(page.total_results == 3, f"page: {page}")
        pages += [user.id for user in page.resources]
    check(pages == [user.id for user in created], f"pages: {pages}")
    steps += 1

    vera.display_name = "Vera Vogt"
    replaced = scim.replace(vera)
    check(replaced.display_name == "Vera Vogt" and replaced.external_id == "vera", f"replace: {replaced}")
    steps += 1

    operation = PatchOperation(op=PatchOperation.Op.replace_, path="name.familyName", value="Voss")
    patched = scim.modify(User, vera.id, PatchOp[User](operations=[operation]))
    check(patched is None or patched.name.family_name == "Voss", f"patch: {patched}")
    check(scim.query(User, vera.id).name.family_name == "Voss", "patch: not stored")
    steps += 1

    for user in created:
        check(scim.delete(User, user.id) is None, f"delete: {user.id}")
    check(scim.query(User).total_results == 0, "delete: users remain")
    steps += 1
    print(f"{steps} steps passed")


if __name__ == "__main__":
    try:
        main()
    except SCIMClientException as error:
        sys.exit(f"failed: {error!r} {getattr(error, 'source', '')!r}")
