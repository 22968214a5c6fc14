"""An identity provider on pysaml2: answers the request in a redirect URL.

Usage: pysaml2_idp.py FOLDER ENTITY_ID URL SIGNED NAME

FOLDER has the key idp.key, the certificate idp.crt and the metadata sp.xml of the service. SIGNED is
assertion, response or both. Prints the response in base64, or "refused" if pysaml2 refuses the request.
"""

import base64
import sys
from urllib.parse import parse_qs, urlsplit

from saml2 import BINDING_HTTP_REDIRECT
from saml2.config import IdPConfig
from saml2.saml import NAMEID_FORMAT_PERSISTENT, NameID
from saml2.server import Server
from saml2.xmldsig import DIGEST_SHA256, SIG_RSA_SHA256

folder, entity_id, url, signed, name = sys.argv[1:]
sign_in_url = url.split("?")[0]
config = IdPConfig().load(
    {
        "entityid": entity_id,
        "xmlsec_binary": "/usr/bin/xmlsec1",
        "key_file": f"{folder}/idp.key",
        "cert_file": f"{folder}/idp.crt",
        "metadata": {"local": [f"{folder}/sp.xml"]},
        "service": {
            "idp": {
                "endpoints": {"single_sign_on_service": [(sign_in_url, BINDING_HTTP_REDIRECT)]},
                "policy": {"default": {"lifetime": {"minutes": 5}}},
                "want_authn_requests_signed": True,
                "want_authn_requests_only_with_valid_cert": False,
            }
        },
    }
)
provider = Server(config=config)
query = {key: values[0] for key, values in parse_qs(urlsplit(url).query).items()}
try:
    request = provider.parse_authn_request(
        query["SAMLRequest"],
        BINDING_HTTP_REDIRECT,
        relay_state=query.get("RelayState"),
        sigalg=query["SigAlg"],
        signature=query["Signature"],
    )
except Exception as error:  # pysaml2 raises several unrelated types.
    print(f"refused {type(error).__name__}: {error}", file=sys.stderr)
    print("refused")
    sys.exit()
arguments = provider.response_args(request.message)
response = provider.create_authn_response(
    {"mail": [f"{name.lower()}@acme.example"], "displayName": [name]},
    in_response_to=arguments["in_response_to"],
    destination=arguments["destination"],
    sp_entity_id=arguments["sp_entity_id"],
    name_id=NameID(format=NAMEID_FORMAT_PERSISTENT, text=f"id-of-{name.lower()}"),
    sign_assertion=signed in ("assertion", "both"),
    sign_response=signed in ("response", "both"),
    sign_alg=SIG_RSA_SHA256,
    digest_alg=DIGEST_SHA256,
    authn={"class_ref": "urn:oasis:names:tc:SAML:2.0:ac:classes:Password", "authn_auth": entity_id},
)
print(base64.b64encode(str(response).encode()).decode())
