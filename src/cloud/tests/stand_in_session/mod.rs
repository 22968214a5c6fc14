//! The settings, the client and the sessions of all tests against stand-ins.

use std::time::Duration;

use chartroom_cloud::Provider;
use chartroom_cloud::ProviderSettings;
use chartroom_cloud::Session;
use chartroom_platform::config::Secret;
use chartroom_platform::remote::ClientOptions;
use chartroom_platform::remote::Deadline;
use chartroom_platform::remote::DnsResolver;
use chartroom_platform::remote::NetworkScope;
use chartroom_platform::remote::RemoteClient;
use chartroom_stand_ins::StandIn;

/// Maximum time of a session.
const SESSION_TIME: Duration = Duration::from_secs(20);

/// Returns the settings for a stand-in, and a client that reaches it.
pub fn connect(
    provider: Provider,
    stand_in: &StandIn,
    scopes: &str,
) -> (ProviderSettings, RemoteClient) {
    let addresses = stand_in.addresses.clone();
    let (client_id, client_secret) = {
        let state = stand_in.lock();
        (state.oauth.client_id.clone(), state.oauth.client_secret.clone().into())
    };
    let settings = ProviderSettings {
        provider,
        client_id,
        client_secret,
        auth_url: addresses.auth_url,
        token_url: addresses.token_url,
        api_url: addresses.api_url,
        content_url: addresses.content_url,
        link_url: addresses.link_url,
        scopes: scopes.to_owned(),
    };
    let options = ClientOptions {
        scope: NetworkScope::Any,
        timeout: SESSION_TIME,
        verify_certificates: true,
    };
    let client = RemoteClient::new(DnsResolver::new(Vec::new()).unwrap(), &options).unwrap();
    (settings, client)
}

/// Returns a session with an access token.
pub fn session<'a>(
    settings: &'a ProviderSettings,
    client: &'a RemoteClient,
    access_token: &'a Secret,
) -> Session<'a> {
    Session { settings, client, access_token, deadline: Deadline::after(SESSION_TIME) }
}
