"""Writes SAML responses that independent implementations sign, in the styles of known providers.

Usage: responses.py FOLDER

Writes `certificate.pem`, a file per response, and `index.json` with the expected results. pysaml2,
signxml and the program xmlsec1 sign; the private key is discarded.
"""

import datetime
import json
import pathlib
import subprocess
import sys
import tempfile
import warnings

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.x509.oid import NameOID

warnings.simplefilter("ignore")

from lxml import etree  # noqa: E402
from saml2 import BINDING_HTTP_POST, saml  # noqa: E402
from saml2.config import IdPConfig  # noqa: E402
from saml2.server import Server  # noqa: E402
from signxml import XMLSigner  # noqa: E402

AUDIENCE = "https://charts.example"
ACS_URL = "https://charts.example/sso/saml2"
ISSUER = "https://idp.example/metadata"
SAML = "urn:oasis:names:tc:SAML:2.0:assertion"
SAMLP = "urn:oasis:names:tc:SAML:2.0:protocol"
DS = "http://www.w3.org/2000/09/xmldsig#"
EXCLUSIVE = "http://www.w3.org/2001/10/xml-exc-c14n#"
CLAIMS = "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/"
PERSISTENT = "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent"
EMAIL_FORMAT = "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress"

SP_METADATA = (
    f'<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="{AUDIENCE}">'
    f'<SPSSODescriptor protocolSupportEnumeration="{SAMLP}"><AssertionConsumerService index="0" '
    f'Binding="{BINDING_HTTP_POST}" Location="{ACS_URL}"/></SPSSODescriptor></EntityDescriptor>'
)


class Style:
    """The spelling of a response: prefixes, decimals of times, and the attributes."""

    def __init__(self, samlp, saml_prefix, decimals=0, attributes=(), request="_req1", xs="root"):
        self.samlp, self.saml, self.decimals = samlp, saml_prefix, decimals
        self.attributes, self.request, self.xs = attributes, request, xs
        self.name_id = ("Ann-0001", PERSISTENT)

    def render(self, now, response_id, assertion_id):
        """Returns the XML of a response without signatures. Signatures belong after the issuers."""

        def at(minutes):
            time = now + datetime.timedelta(minutes=minutes)
            fraction = "." + f"{time.microsecond:06d}0"[: self.decimals] if self.decimals else ""
            return time.strftime("%Y-%m-%dT%H:%M:%S") + fraction + "Z"

        p = self.samlp + ":" if self.samlp else ""
        a = self.saml + ":" if self.saml else ""
        declare = "xmlns:" + self.saml if self.saml else "xmlns"
        xs = 'xmlns:xs="http://www.w3.org/2001/XMLSchema"'
        answered = f' InResponseTo="{self.request}"' if self.request else ""
        values = "".join(
            f'<{a}Attribute Name="{name}" NameFormat="urn:oasis:names:tc:SAML:2.0:attrname-format:uri">'
            f'<{a}AttributeValue {xs if self.xs == "value" else ""} xsi:type="xs:string">{value}'
            f"</{a}AttributeValue></{a}Attribute>"
            for name, value in self.attributes
        )
        name, name_format = self.name_id
        return (
            f'<{p}Response xmlns:{self.samlp}="{SAMLP}" {xs if self.xs == "root" else ""} '
            f'ID="{response_id}" Version="2.0" IssueInstant="{at(0)}" Destination="{ACS_URL}"{answered}>'
            f'<{a}Issuer {declare}="{SAML}">{ISSUER}</{a}Issuer>'
            f'<{p}Status><{p}StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></{p}Status>'
            f'<{a}Assertion {declare}="{SAML}" {xs if self.xs == "assertion" else ""} '
            f'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" ID="{assertion_id}" '
            f'IssueInstant="{at(0)}" Version="2.0"><{a}Issuer>{ISSUER}</{a}Issuer>'
            f'<{a}Subject><{a}NameID Format="{name_format}">{name}</{a}NameID>'
            f'<{a}SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer">'
            f'<{a}SubjectConfirmationData{answered} NotOnOrAfter="{at(5)}" Recipient="{ACS_URL}"/>'
            f"</{a}SubjectConfirmation></{a}Subject>"
            f'<{a}Conditions NotBefore="{at(-5)}" NotOnOrAfter="{at(60)}"><{a}AudienceRestriction>'
            f"<{a}Audience>{AUDIENCE}</{a}Audience></{a}AudienceRestriction></{a}Conditions>"
            f'<{a}AttributeStatement>{values}</{a}AttributeStatement>'
            f'<{a}AuthnStatement AuthnInstant="{at(0)}" SessionIndex="{assertion_id}" '
            f'SessionNotOnOrAfter="{at(480)}"><{a}AuthnContext><{a}AuthnContextClassRef>'
            f"urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport"
            f"</{a}AuthnContextClassRef></{a}AuthnContext></{a}AuthnStatement>"
            f"</{a}Assertion></{p}Response>"
        ).replace(" >", ">")


PLAIN = [("email", "Ann@Acme.Example"), ("displayName", "Ann Bérg &amp; Söhne")]
OKTA = Style("saml2p", "saml2", 3, PLAIN + [("uid", "00u1")], xs="root")
ENTRA = Style(
    "samlp",
    "",
    7,
    [
        (CLAIMS + "emailaddress", "ann@acme.example"),
        ("http://schemas.microsoft.com/identity/claims/displayname", "Ann Berg"),
        (CLAIMS + "givenname", "Ann"),
        ("uid", "5d1cf0b1-0a5c-4a0c-a5b1-2f1b7a0f2b11"),
    ],
    xs="value",
)
ADFS = Style(
    "samlp", "", 3, [(CLAIMS + "emailaddress", "ann@acme.example"), (CLAIMS + "name", "Ann")], None, "value"
)
GOOGLE = Style("saml2p", "saml2", 3, [("mail", "ann@acme.example"), ("name", "Ann")], xs="assertion")
GOOGLE.name_id = ("ann@acme.example", EMAIL_FORMAT)
ONELOGIN = Style("samlp", "saml", 0, [("User.email", "ann@acme.example"), ("User.FirstName", "Ann"),
                                      ("User.LastName", "Berg")])
KEYCLOAK = Style("samlp", "saml", 3, [("email", "ann@acme.example"), ("uid", "f:1:ann")], xs="value")
SHIBBOLETH = Style(
    "saml2p",
    "saml2",
    3,
    [("urn:oid:0.9.2342.19200300.100.1.3", "ann@acme.example"),
     ("urn:oid:2.16.840.1.113730.3.1.241", "Ann Berg")],
    xs="assertion",
)


def after_issuer(element, signature):
    """Inserts a signature at its place in the schema: after the issuer."""
    element.find(f"{{{SAML}}}Issuer").addnext(signature)


def find_signed(root, part):
    """Returns the element to sign: the assertion for `a`, the response for `r`."""
    return root.find(f"{{{SAML}}}Assertion") if part == "a" else root


class Signers:
    """A key with its certificate, and three ways to sign with it."""

    def __init__(self, folder):
        self.folder = folder
        self.key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "idp.example")])
        start = datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc)
        builder = x509.CertificateBuilder(name, name, self.key.public_key(), 7, start,
                                          start.replace(year=2036))
        certificate = builder.sign(self.key, hashes.SHA256())
        self.key_pem = self.key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.TraditionalOpenSSL,
            serialization.NoEncryption(),
        )
        self.pem = certificate.public_bytes(serialization.Encoding.PEM)
        (folder / "key.pem").write_bytes(self.key_pem)
        (folder / "certificate.pem").write_bytes(self.pem)

    def signxml(self, xml, signed, prefix="ds", algorithm="rsa-sha256", digest="sha256"):
        """Signs with signxml. `signed` has `a` for the assertion and then `r` for the response."""
        root = etree.fromstring(xml)
        for element in (find_signed(root, part) for part in signed):
            signer = XMLSigner(signature_algorithm=algorithm, digest_algorithm=digest,
                               c14n_algorithm=EXCLUSIVE)
            signer.namespaces = {prefix or None: DS}
            alone = etree.fromstring(etree.tostring(element, method="c14n", exclusive=True))
            result = signer.sign(alone, key=self.key_pem, cert=self.pem.decode(),
                                 reference_uri="#" + element.get("ID"), id_attribute="ID")
            # With a default namespace, signxml returns elements whose namespace only the text has.
            result = etree.fromstring(etree.tostring(result))
            signature = result.find(f"{{{DS}}}Signature")
            signature.tail = None
            after_issuer(element, signature)
        return etree.tostring(root).decode()

    def xmlsec(self, xml, signed, prefix="ds", hashes_name="sha256", prefixes=None, key_info=""):
        """Signs a template with the program xmlsec1."""
        root = etree.fromstring(xml)
        digest = {"sha384": "http://www.w3.org/2001/04/xmldsig-more#sha384"}.get(
            hashes_name, "http://www.w3.org/2001/04/xmlenc#" + hashes_name)
        d = prefix + ":" if prefix else ""
        declare = "xmlns:" + prefix if prefix else "xmlns"
        listed = f'<ec:InclusiveNamespaces xmlns:ec="{EXCLUSIVE}" PrefixList="{prefixes}"/>' if prefixes else ""
        for part in signed:
            element = find_signed(root, part)
            after_issuer(element, etree.fromstring(
                f'<{d}Signature {declare}="{DS}"><{d}SignedInfo>'
                f'<{d}CanonicalizationMethod Algorithm="{EXCLUSIVE}"/>'
                f'<{d}SignatureMethod Algorithm="http://www.w3.org/2001/04/xmldsig-more#rsa-{hashes_name}"/>'
                f'<{d}Reference URI="#{element.get("ID")}"><{d}Transforms>'
                f'<{d}Transform Algorithm="{DS}enveloped-signature"/>'
                f'<{d}Transform Algorithm="{EXCLUSIVE}">{listed}</{d}Transform></{d}Transforms>'
                f'<{d}DigestMethod Algorithm="{digest}"/><{d}DigestValue/></{d}Reference></{d}SignedInfo>'
                f"<{d}SignatureValue/><{d}KeyInfo>{key_info.replace('@', d)}</{d}KeyInfo></{d}Signature>"))
            name = etree.QName(element)
            path = f"//*[local-name()='{name.localname}']/*[local-name()='Signature']"
            (self.folder / "unsigned").write_bytes(etree.tostring(root))
            done = subprocess.run(
                ["xmlsec1", "--sign", "--privkey-pem", f"{self.folder}/key.pem,{self.folder}/certificate.pem",
                 "--id-attr:ID", f"{name.namespace}:{name.localname}", "--node-xpath", path,
                 f"{self.folder}/unsigned"],
                capture_output=True, check=True)
            root = etree.fromstring(done.stdout)
        return etree.tostring(root).decode()

    def pysaml2(self, signed, hashes_name="sha256"):
        """Creates and signs a response with pysaml2."""
        (self.folder / "sp.xml").write_text(SP_METADATA)
        config = IdPConfig().load({
            "metadata": {"local": [f"{self.folder}/sp.xml"]},
            "entityid": ISSUER,
            "key_file": f"{self.folder}/key.pem",
            "cert_file": f"{self.folder}/certificate.pem",
            "xmlsec_binary": "/usr/bin/xmlsec1",
            "service": {"idp": {
                "endpoints": {"single_sign_on_service": [(ISSUER, BINDING_HTTP_POST)]},
                "policy": {"default": {"lifetime": {"minutes": 15}, "attribute_restrictions": None,
                                       "name_form": "urn:oasis:names:tc:SAML:2.0:attrname-format:uri"}},
            }},
        })
        response = Server(config=config).create_authn_response(
            {"mail": ["Ann@Acme.example"], "displayName": ["Ann Berg"]},
            "_req1",
            ACS_URL,
            AUDIENCE,
            name_id=saml.NameID(format=PERSISTENT, text="Ann-0001"),
            authn={"class_ref": saml.AUTHN_PASSWORD_PROTECTED, "authn_auth": ISSUER},
            sign_assertion="a" in signed,
            sign_response="r" in signed,
            sign_alg="http://www.w3.org/2001/04/xmldsig-more#rsa-" + hashes_name,
            digest_alg="http://www.w3.org/2001/04/xmlenc#" + hashes_name,
        )
        return str(response)


def main():
    target = pathlib.Path(sys.argv[1])
    now = datetime.datetime.now(datetime.timezone.utc)
    with tempfile.TemporaryDirectory() as folder:
        signers = Signers(pathlib.Path(folder))
        key_value = "<@KeyName>key-1</@KeyName><@KeyValue/>"
        x509_data = "<@X509Data/>"

        def xml(style):
            return style.render(now, "_r0123456789abcdef", "_a0123456789abcdef")

        ann = {"email": "ann@acme.example", "in_response_to": "_req1"}
        plain = ann | {"name": "Ann Bérg & Söhne", "sso_id": "00u1"}
        entra = ann | {"name": "Ann Berg", "sso_id": "5d1cf0b1-0a5c-4a0c-a5b1-2f1b7a0f2b11"}
        named = ann | {"name": "Ann Berg", "sso_id": "Ann-0001"}
        adfs = ann | {"name": "Ann", "sso_id": "Ann-0001", "in_response_to": None}
        google = ann | {"name": "Ann", "sso_id": "ann@acme.example"}
        keycloak = ann | {"name": None, "sso_id": "f:1:ann"}
        responses = [
            ("okta-signxml", signers.signxml(xml(OKTA), "ar"), plain),
            ("okta-xmlsec", signers.xmlsec(xml(OKTA), "ar", prefixes="xs", key_info=x509_data), plain),
            ("okta-assertion", signers.xmlsec(xml(OKTA), "a", prefixes="xs", key_info=x509_data), plain),
            ("entra-signxml", signers.signxml(xml(ENTRA), "a", prefix=""), entra),
            ("entra-xmlsec", signers.xmlsec(xml(ENTRA), "a", prefix="", key_info=x509_data), entra),
            ("entra-sha512", signers.signxml(xml(ENTRA), "a", "", "rsa-sha512", "sha512"), entra),
            ("adfs", signers.xmlsec(xml(ADFS), "a", prefix="", key_info=x509_data), adfs),
            ("google-response", signers.xmlsec(xml(GOOGLE), "r", key_info=x509_data), google),
            ("google-assertion", signers.signxml(xml(GOOGLE), "a"), google),
            ("onelogin-response", signers.signxml(xml(ONELOGIN), "r"), named),
            ("onelogin-assertion", signers.xmlsec(xml(ONELOGIN), "a", key_info=x509_data), named),
            ("keycloak-response", signers.xmlsec(xml(KEYCLOAK), "r", "dsig", key_info=key_value), keycloak),
            ("keycloak-both", signers.xmlsec(xml(KEYCLOAK), "ar", "dsig", key_info=key_value), keycloak),
            ("shibboleth", signers.xmlsec(xml(SHIBBOLETH), "r", "ds", "sha256", "xs", x509_data), named),
            ("shibboleth-sha384", signers.xmlsec(xml(SHIBBOLETH), "r", "ds", "sha384", "xs"), named),
            ("default-prefix", signers.xmlsec(xml(ENTRA), "a", "", "sha512", "#default xs"), entra),
            ("pysaml2-assertion", signers.pysaml2("a"), named),
            ("pysaml2-response", signers.pysaml2("r"), named),
            ("pysaml2-both", signers.pysaml2("ar", "sha512"), named),
        ]
        (target / "certificate.pem").write_bytes(signers.pem)
    index = {"now": now.strftime("%Y-%m-%dT%H:%M:%SZ"), "responses": []}
    for name, text, expected in responses:
        (target / f"{name}.xml").write_text(text)
        index["responses"].append({"file": f"{name}.xml"} | expected)
    (target / "index.json").write_text(json.dumps(index, indent=2, ensure_ascii=False) + "\n")


main()
