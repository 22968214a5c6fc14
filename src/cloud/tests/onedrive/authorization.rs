//! Tokens: the code flow, and the hosts that see them.

use std::time::Duration;

use chartroom_cloud::CloudError;
use chartroom_cloud::ROOT_FOLDER;
use chartroom_cloud::Session;
use chartroom_cloud::oauth;
use chartroom_platform::remote::Deadline;
use chartroom_platform::remote::RemoteRequest;
use chartroom_stand_ins::http::Response;

use crate::Fixture;
use crate::REDIRECT_URI;
use crate::SCOPES;
use crate::VERIFIER;

#[test]
fn token_stays_at_graph() {
    let fixture = Fixture::new();
    let session = fixture.session();
    let id = fixture.add_file("root", "a.csv", b"a");
    session.read_file(&id, 10).unwrap();
    session.fetch_source(&id, None).unwrap();
    // A redirect of the list is not followed.
    let target = fixture.settings.auth_url.clone();
    fixture.fail(vec![Response::redirect(&target)]);
    assert_eq!(session.list_folder(ROOT_FOLDER, None), Err(CloudError::Unreadable));
    let log = fixture.change(|state| state.log.clone());
    let downloads: Vec<&String> =
        log.iter().filter(|line| line.contains("/_layouts/15/download.aspx")).collect();
    assert_eq!(downloads.len(), 2);
    assert!(downloads.iter().all(|line| !line.contains("+token")));
    assert!(log.iter().all(|line| line.contains("/v1.0/") == line.contains("+token")), "{log:?}");
    assert!(log.iter().all(|line| !line.contains("/authorize")));
}

#[test]
fn authorization_follows_the_code_flow() {
    let fixture = Fixture::new();
    let (settings, client) = (&fixture.settings, &fixture.client);
    let deadline = || Deadline::after(Duration::from_secs(5));
    let authorize = || {
        let url = oauth::authorize_url(settings, REDIRECT_URI, "state 1", VERIFIER);
        assert!(url.contains("response_mode=query") && url.contains("code_challenge="));
        let request = RemoteRequest { follow_redirects: false, ..RemoteRequest::get(&url, 1_000) };
        let response = client.send(&request, deadline()).unwrap();
        assert_eq!(response.status, 302);
        let location = response.header("location").unwrap();
        let query = location.strip_prefix(REDIRECT_URI).unwrap().strip_prefix('?').unwrap();
        let mut pairs = query.split('&');
        let code = pairs.next().unwrap().strip_prefix("code=").unwrap().to_owned();
        assert_eq!(pairs.next(), Some("state=state+1"));
        code
    };
    let exchange = |code: &str, verifier| {
        oauth::exchange_code(settings, client, REDIRECT_URI, (code, verifier), deadline())
    };
    let tokens = exchange(&authorize(), VERIFIER).unwrap();
    assert_eq!((tokens.expires_in, tokens.scopes.as_deref()), (Some(3_600), Some(SCOPES)));
    let session = Session { access_token: &tokens.access, ..fixture.session() };
    session.account().unwrap();
    session.list_folder(ROOT_FOLDER, None).unwrap();

    let code = authorize();
    exchange(&code, VERIFIER).unwrap();
    assert_eq!(exchange(&code, VERIFIER).unwrap_err(), CloudError::Unauthorized);
    let wrong = exchange(&authorize(), &VERIFIER.replace('0', "x"));
    assert_eq!(wrong.unwrap_err(), CloudError::Unauthorized);

    // A refresh sends a new token, and the old one stays valid.
    let old = tokens.refresh.unwrap();
    let refreshed = oauth::refresh(settings, client, &old, deadline()).unwrap();
    let new = refreshed.refresh.unwrap();
    assert_ne!(new.reveal(), old.reveal());
    oauth::refresh(settings, client, &old, deadline()).unwrap();
    // Microsoft cannot revoke one token, so that nothing is sent.
    let before = fixture.change(|state| state.log.len());
    oauth::revoke(settings, client, (&refreshed.access, Some(&new))).unwrap();
    assert_eq!(fixture.change(|state| state.log.len()), before);
    fixture.change(|state| state.oauth.revoke(new.reveal()));
    let refused = oauth::refresh(settings, client, &new, deadline());
    assert_eq!(refused.unwrap_err(), CloudError::Unauthorized);
}
