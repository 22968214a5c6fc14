//! Tests of single sign-on. Ann is the admin of `acme`, which has verified the domain `acme.example`; see
//! [`OrgFixture`].

mod accounts;
mod browser;
mod independent;
mod isolation;
mod pages;
mod provider;
mod rejections;
mod requests;
mod sign_in;
mod trial;

use serde_json::Value;
use serde_json::json;

use crate::people::start_with_verified_domain;
use crate::teams::OrgFixture;
use crate::test_server::Response;
use provider::Statements;
use provider::TestProvider;

/// Public URL of the server, which is also the audience.
const BASE_URL: &str = "http://127.0.0.1:8080";
/// URL of the assertion consumer service.
const ACS_URL: &str = "http://127.0.0.1:8080/sso/saml2";
/// URL at which people sign in at the identity provider.
const SIGN_IN_URL: &str = "https://idp.example/login?tenant=1";

/// A server with `acme` and its identity provider.
struct SsoFixture {
    orgs: OrgFixture,
    provider: TestProvider,
}

/// A sign-in that a browser has begun.
struct BegunSignIn {
    /// Cookie that binds the sign-in to the browser.
    cookie: String,
    /// URL of the identity provider with the request.
    url: String,
    /// Id of the request.
    id: String,
}

impl SsoFixture {
    fn new() -> Self {
        let fixture = Self::without_settings();
        fixture.put_settings(json!({}));
        fixture
    }

    /// Starts a server without settings of an identity provider.
    fn without_settings() -> Self {
        let provider = TestProvider::new("https://idp.example/metadata");
        Self { orgs: start_with_verified_domain(), provider }
    }

    /// Sets the identity provider of `acme`, with further fields.
    fn put_settings(&self, further: Value) {
        let stored = put_settings(&self.orgs, "Ann", "acme", &self.provider, further);
        assert_eq!(stored.status, 200, "{}", stored.text);
    }

    /// Begins a sign-in with the address of a person.
    fn begin(&self, email: &str) -> BegunSignIn {
        let path = format!("/sso/saml2/signin?email={email}&next=/account/security");
        let redirect = self.orgs.server.send("GET", &path, &[], "");
        assert_eq!(redirect.status, 303, "{}", redirect.text);
        BegunSignIn::new(&redirect)
    }

    /// Posts a response as the browser of a person does after the identity provider.
    fn post(&self, statements: &Statements) -> Response {
        self.post_base64(&self.provider.respond(statements))
    }

    /// Posts the text of a response.
    fn post_base64(&self, response: &str) -> Response {
        self.post_form(&format!("SAMLResponse={}", encode(response)))
    }

    /// Posts a form from another site.
    fn post_form(&self, body: &str) -> Response {
        let headers = [
            ("content-type", "application/x-www-form-urlencoded"),
            ("origin", "https://idp.example"),
            ("sec-fetch-site", "cross-site"),
        ];
        self.orgs.server.send("POST", "/sso/saml2", &headers, body)
    }

    /// Follows the redirect of an accepted response with a cookie.
    fn finish(&self, accepted: &Response, cookie: &str) -> Response {
        assert_eq!(accepted.status, 303, "{}", accepted.text);
        assert_eq!(accepted.headers("set-cookie"), [""; 0], "no session before the last step");
        let path = accepted.header("location");
        assert!(path.starts_with("/sso/saml2/finish?code="), "{path}");
        self.orgs.server.send("GET", &path, &[("cookie", cookie)], "")
    }

    /// Signs a person in with their address, and returns the session cookie.
    fn sign_in(&self, name: &str) -> String {
        let begun = self.begin(&format!("{}@acme.example", name.to_lowercase()));
        let statements = self.provider.statements(name, Some(&begun.id));
        let finished = self.finish(&self.post(&statements), &begun.cookie);
        assert_eq!(finished.status, 303, "{}", finished.text);
        finished.cookie()
    }

    /// Returns the user of a session.
    fn user(&self, cookie: &str) -> Value {
        let found = self.orgs.server.send("GET", "/api/v1/user", &[("cookie", cookie)], "");
        assert_eq!(found.status, 200, "{}", found.text);
        found.json()
    }

    /// Returns the details of the events with an action in the audit log, newest first.
    fn events(&self, action: &str) -> Vec<Value> {
        let path = format!("/audit-log?action={action}");
        let log = self.orgs.request_org("Ann", "GET", &path, Value::Null);
        assert_eq!(log.status, 200, "{}", log.text);
        let events = log.json()["events"].as_array().unwrap().clone();
        events.iter().map(|event| event["details"].clone()).collect()
    }

    /// Posts a response that must be rejected, and returns status and code of the page. The code is
    /// also that of the last event in the audit log.
    #[track_caller]
    fn assert_rejected(&self, response: &Response, status: u16, code: &str) {
        assert_eq!(response.status, status, "{}", response.text);
        assert!(response.text.contains(&format!("Reason: {code}")), "{}", response.text);
        assert_eq!(response.headers("set-cookie"), [""; 0]);
        let last = &self.events("sso.rejected")[0];
        assert_eq!(last["code"], code, "{last}");
        let request_id = last["request_id"].as_str().unwrap();
        assert!(response.text.contains(request_id), "{request_id}");
    }
}

impl BegunSignIn {
    /// Reads the redirect to the identity provider.
    fn new(redirect: &Response) -> Self {
        let url = redirect.header("location");
        let xml = requests::read_request(&url);
        let id = xml.split(" ID=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
        Self { cookie: redirect.cookie(), url, id }
    }
}

/// Sets the identity provider of an organization as a user.
fn put_settings(
    orgs: &OrgFixture,
    user: &str,
    org: &str,
    provider: &TestProvider,
    further: Value,
) -> Response {
    let mut body = json!({
        "entity_id": provider.entity_id,
        "certificate": provider.certificate_pem(),
        "sign_in_url": SIGN_IN_URL,
    });
    body.as_object_mut().unwrap().extend(further.as_object().unwrap().clone());
    let path = format!("/api/v1/orgs/{org}/sso");
    orgs.server.request(orgs.authorization(user), "PUT", &path, &body.to_string())
}

/// Percent-encodes all bytes of a form value except letters and digits.
fn encode(text: &str) -> String {
    percent_encoding::utf8_percent_encode(text, percent_encoding::NON_ALPHANUMERIC).to_string()
}
