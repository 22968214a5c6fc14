//! Authorization, refresh and revocation at Google.

use std::collections::HashMap;
use std::time::Duration;

use chartroom_cloud::CloudError;
use chartroom_cloud::CloudResult;
use chartroom_cloud::oauth;
use chartroom_cloud::oauth::Tokens;
use chartroom_platform::config::Secret;
use chartroom_platform::remote::Deadline;
use chartroom_platform::remote::RemoteRequest;
use url::Url;

use super::Fixture;

/// Redirect URI of the registration.
const REDIRECT_URI: &str = "https://charts.example/cloud/oauth/googledrive/callback";
/// Secret of PKCE.
const VERIFIER: &str = "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz";

/// Returns a deadline for one request.
fn deadline() -> Deadline {
    Deadline::after(Duration::from_secs(10))
}

impl Fixture {
    /// Opens the page for consent and returns the parameters of the redirect.
    fn open_consent_page(&self) -> HashMap<String, String> {
        let url = oauth::authorize_url(&self.settings, REDIRECT_URI, "st&te=1", VERIFIER);
        let request = RemoteRequest { follow_redirects: false, ..RemoteRequest::get(&url, 1_000) };
        let response = self.client.send_to_configured(&request, deadline()).unwrap();
        assert_eq!(response.status, 302);
        let location = response.header("location").unwrap();
        assert!(location.starts_with(REDIRECT_URI));
        Url::parse(location).unwrap().query_pairs().into_owned().collect()
    }

    fn exchange(&self, code: &str, redirect_uri: &str, verifier: &str) -> CloudResult<Tokens> {
        let code = (code, verifier);
        oauth::exchange_code(&self.settings, &self.client, redirect_uri, code, deadline())
    }

    fn refresh(&self, token: &Secret) -> CloudResult<Tokens> {
        oauth::refresh(&self.settings, &self.client, token, deadline())
    }
}

#[test]
fn code_is_exchanged_for_tokens() {
    let mut fixture = Fixture::new();
    fixture.stand_in.lock().oauth.redirect_uris.push(REDIRECT_URI.to_owned());
    let page = oauth::authorize_url(&fixture.settings, REDIRECT_URI, "s", VERIFIER);
    assert!(page.contains("&access_type=offline&prompt=consent"));
    assert!(page.contains("&code_challenge_method=S256"));
    let answer = fixture.open_consent_page();
    assert_eq!(answer["state"], "st&te=1");
    let tokens = fixture.exchange(&answer["code"], REDIRECT_URI, VERIFIER).unwrap();
    assert_eq!(tokens.expires_in, Some(3_599));
    assert_eq!(tokens.scopes.as_ref(), Some(&fixture.settings.scopes));
    assert!(tokens.refresh.is_some());
    fixture.token = tokens.access;
    assert!(fixture.session().account().is_ok());
    // A code is valid once, for one redirect URI and one verifier.
    let again = fixture.exchange(&answer["code"], REDIRECT_URI, VERIFIER);
    assert_eq!(again.unwrap_err(), CloudError::Unauthorized);
    let code = &fixture.open_consent_page()["code"];
    let wrong = fixture.exchange(code, REDIRECT_URI, &VERIFIER.replace('a', "b"));
    assert_eq!(wrong.unwrap_err(), CloudError::Unauthorized);
    let code = &fixture.open_consent_page()["code"];
    let wrong = fixture.exchange(code, "https://other.example/", VERIFIER);
    assert_eq!(wrong.unwrap_err(), CloudError::Unauthorized);
    // A person can deselect scopes.
    fixture.stand_in.lock().oauth.granted_scope = Some("openid".to_owned());
    let code = &fixture.open_consent_page()["code"];
    let tokens = fixture.exchange(code, REDIRECT_URI, VERIFIER).unwrap();
    assert_eq!(tokens.scopes.as_deref(), Some("openid"));
    fixture.token = tokens.access;
    assert_eq!(fixture.session().account(), Err(CloudError::MissingScope));
    fixture.stand_in.lock().oauth.refuses = true;
    assert_eq!(fixture.open_consent_page()["error"], "access_denied");
}

#[test]
fn refresh_token_stays_valid() {
    let mut fixture = Fixture::new();
    let code = &fixture.open_consent_page()["code"];
    let first = fixture.exchange(code, REDIRECT_URI, VERIFIER).unwrap();
    let refresh = first.refresh.unwrap();
    fixture.stand_in.lock().oauth.clock += 3_599;
    fixture.token = first.access;
    assert_eq!(fixture.session().account(), Err(CloudError::Unauthorized));
    for _ in 0..2 {
        let tokens = fixture.refresh(&refresh).unwrap();
        assert!(tokens.refresh.is_none());
        fixture.token = tokens.access;
        assert!(fixture.session().account().is_ok());
    }
    let unknown = fixture.refresh(&"unknown".to_owned().into());
    assert_eq!(unknown.unwrap_err(), CloudError::Unauthorized);
    fixture.stand_in.lock().oauth.failures.push(503);
    let busy = fixture.refresh(&refresh);
    assert_eq!(busy.unwrap_err(), CloudError::Busy { retry_after: None });
    fixture.settings.client_secret = "wrong".to_owned().into();
    let wrong = fixture.refresh(&refresh);
    let code = "invalid_client".to_owned();
    assert_eq!(wrong.unwrap_err(), CloudError::Rejected { status: 401, code });
}

#[test]
fn revocation_ends_both_tokens() {
    let mut fixture = Fixture::new();
    let code = &fixture.open_consent_page()["code"];
    let tokens = fixture.exchange(code, REDIRECT_URI, VERIFIER).unwrap();
    let refresh = tokens.refresh.unwrap();
    let pair = (&tokens.access, Some(&refresh));
    oauth::revoke(&fixture.settings, &fixture.client, pair).unwrap();
    assert_eq!(fixture.count("POST /revoke"), 1);
    assert_eq!(fixture.count("/revoke +token"), 0);
    assert_eq!(fixture.refresh(&refresh).unwrap_err(), CloudError::Unauthorized);
    assert!(oauth::revoke(&fixture.settings, &fixture.client, pair).is_err());
    // The tokens of other grants stay valid.
    assert!(fixture.session().account().is_ok());
    fixture.token = tokens.access;
    assert_eq!(fixture.session().account(), Err(CloudError::Unauthorized));
}
