//! Tokens: consent, exchange, refresh and revocation.

use std::time::Duration;

use chartroom_cloud::CloudError;
use chartroom_cloud::oauth;
use chartroom_platform::config::Secret;
use chartroom_platform::remote::Deadline;
use chartroom_platform::remote::RemoteRequest;
use url::Url;

use super::setup::Setup;

/// Redirect URI of the client.
const REDIRECT_URI: &str = "https://charts.example/cloud/oauth/smartsheet/callback";

/// Visits the page for consent. Returns the parameters of the redirect.
fn consent(setup: &Setup) -> Vec<(String, String)> {
    let url = oauth::authorize_url(&setup.settings, REDIRECT_URI, "state &=ü", &"v".repeat(43));
    assert!(!url.contains("code_challenge"));
    let request = RemoteRequest { follow_redirects: false, ..RemoteRequest::get(&url, 1_000) };
    let response = setup.client.send(&request, deadline()).unwrap();
    assert_eq!(response.status, 302);
    let location = response.header("location").unwrap();
    assert!(location.starts_with(REDIRECT_URI));
    Url::parse(location).unwrap().query_pairs().into_owned().collect()
}

/// Returns a deadline in 10 seconds.
fn deadline() -> Deadline {
    Deadline::after(Duration::from_secs(10))
}

/// Exchanges a code for tokens.
fn exchange(setup: &Setup, code: &str) -> Result<oauth::Tokens, CloudError> {
    oauth::exchange_code(&setup.settings, &setup.client, REDIRECT_URI, (code, "v"), deadline())
}

#[test]
fn tokens_are_issued_rotated_and_revoked() {
    let mut setup = Setup::new();
    setup.stand_in.lock().oauth.redirect_uris = vec![REDIRECT_URI.to_owned()];
    let parameters = consent(&setup);
    assert_eq!(parameters[0].0, "code");
    assert_eq!(parameters[1], ("state".to_owned(), "state &=ü".to_owned()));
    let code = parameters[0].1.clone();
    let tokens = exchange(&setup, &code).unwrap();
    assert_eq!(tokens.expires_in, Some(604_799));
    assert_eq!(tokens.scopes, None);
    assert_eq!(exchange(&setup, &code).unwrap_err(), CloudError::Unauthorized);
    setup.token = tokens.access.clone();
    assert!(setup.session().account().is_ok());
    assert!(setup.session().list_folder("root", None).is_ok());

    let refresh =
        |token: &Secret| oauth::refresh(&setup.settings, &setup.client, token, deadline());
    let old = tokens.refresh.unwrap();
    let new = refresh(&old).unwrap();
    assert_ne!(new.refresh.as_ref().unwrap().reveal(), old.reveal());
    assert_eq!(refresh(&old).unwrap_err(), CloudError::Unauthorized);

    oauth::revoke(&setup.settings, &setup.client, (&new.access, new.refresh.as_ref())).unwrap();
    assert_eq!(refresh(new.refresh.as_ref().unwrap()).unwrap_err(), CloudError::Unauthorized);
    setup.token = new.access;
    assert_eq!(setup.session().account(), Err(CloudError::Unauthorized));
}

#[test]
fn refusals_and_failures() {
    let mut setup = Setup::new();
    setup.stand_in.lock().oauth.refuses = true;
    assert_eq!(consent(&setup)[0], ("error".to_owned(), "access_denied".to_owned()));
    setup.stand_in.lock().oauth.refuses = false;
    let grant = setup.stand_in.lock().oauth.grant("");
    let token: Secret = grant.refresh.unwrap().into();
    setup.stand_in.lock().oauth.failures = vec![503, 500];
    for _ in 0..2 {
        let result = oauth::refresh(&setup.settings, &setup.client, &token, deadline());
        assert_eq!(result.unwrap_err(), CloudError::Busy { retry_after: None });
    }
    let code = consent(&setup)[0].1.clone();
    setup.stand_in.lock().oauth.clock += 600;
    assert_eq!(exchange(&setup, &code).unwrap_err(), CloudError::Unauthorized);
    let code = consent(&setup)[0].1.clone();
    setup.settings.client_secret = "wrong".to_owned().into();
    assert_eq!(exchange(&setup, &code).unwrap_err(), CloudError::Unauthorized);
}
