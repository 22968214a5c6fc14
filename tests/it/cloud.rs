//! Tests of connections to cloud storage against stand-ins of the providers.

mod connections;
mod default_hosts;
mod documents;
mod interruptions;
mod previews;
mod sources;

use chartroom_stand_ins::StandIn;
use serde_json::json;

use crate::client::Client;
use crate::client::Response;
use crate::server_process::PASSWORD;
use crate::server_process::ServerProcess;

/// The providers with a stand-in.
const PROVIDERS: [&str; 5] = ["box", "dropbox", "googledrive", "onedrive", "smartsheet"];

/// A server that is set up for one provider, and the stand-in of the provider.
struct Setup {
    server: ServerProcess,
    stand_in: StandIn,
    provider: &'static str,
    /// Page for consent to which the server must lead.
    auth_url: String,
}

impl Setup {
    /// Starts the stand-in and the server.
    fn start(provider: &'static str) -> Self {
        Self::start_with(provider, &[])
    }

    /// Starts the server with more settings.
    fn start_with(provider: &'static str, more: &[(&str, &str)]) -> Self {
        let stand_in = chartroom_stand_ins::start(provider).unwrap();
        let addresses = &stand_in.addresses;
        let content = match provider {
            "box" | "googledrive" => "upload_url",
            _ => "content_url",
        };
        let mut settings = vec![
            (format!("{provider}_client_id"), "client-id".to_owned()),
            (format!("{provider}_client_secret"), "client-secret".to_owned()),
            (format!("{provider}_auth_url"), addresses.auth_url.clone()),
            (format!("{provider}_token_url"), addresses.token_url.clone()),
            (format!("{provider}_api_url"), addresses.api_url.clone()),
            ("remote_private".to_owned(), "yes".to_owned()),
            ("sync_spread".to_owned(), "0s".to_owned()),
            ("sync_min_interval".to_owned(), "1s".to_owned()),
        ];
        if !matches!(provider, "onedrive" | "smartsheet") {
            settings.push((format!("{provider}_{content}"), addresses.content_url.clone()));
        }
        if provider == "googledrive" {
            settings.push(("googledrive_scope".to_owned(), "full".to_owned()));
            settings.push(("googledrive_link_url".to_owned(), addresses.link_url.clone()));
        }
        let own = settings.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let all: Vec<(&str, &str)> = own.chain(more.iter().copied()).collect();
        let auth_url = addresses.auth_url.clone();
        Self { server: ServerProcess::with_settings(&all), stand_in, provider, auth_url }
    }

    /// Signs a user in and returns a client with the cookie of the session.
    fn browser(&self, name: &str) -> Client<'_> {
        let body = json!({ "email": format!("{name}@example.org"), "password": PASSWORD });
        let guest = self.server.guest().with_header("sec-fetch-site", "same-origin");
        let signed_in = guest.post("/api/v1/session", body);
        assert!(matches!(signed_in.status, 200 | 204), "{signed_in}");
        let cookie = signed_in.header("set-cookie").split(';').next().unwrap().to_owned();
        guest.with_header("cookie", &cookie)
    }

    /// Sends the browser to the provider, which permits the access at once. Returns the path on this
    /// server to which the provider sends the browser.
    fn visit_provider(&self, browser: &Client<'_>) -> String {
        let begun = browser.get(&format!("/cloud/oauth/{}/start", self.provider)).expect(303);
        let page = begun.header("location").to_owned();
        let query = page.strip_prefix(&self.auth_url);
        let query = query.unwrap_or_else(|| panic!("{page} is not {}", self.auth_url));
        let page = format!("{}{query}", self.stand_in.addresses.auth_url);
        let agent = ureq::Agent::new_with_config(
            ureq::config::Config::builder().max_redirects(0).http_status_as_error(false).build(),
        );
        let response = agent.get(&page).call().unwrap();
        assert_eq!(response.status().as_u16(), 302);
        let location = response.headers()["location"].to_str().unwrap().to_owned();
        let path = location.strip_prefix(&self.server.base_url);
        path.unwrap_or_else(|| panic!("{location} is at another server")).to_owned()
    }

    /// Connects the account of Ann. Returns the id of the connection.
    fn connect(&self) -> String {
        let browser = self.browser("ann");
        let back = self.visit_provider(&browser);
        let arrived = browser.get(&back).expect(303);
        assert_eq!(arrived.header("location"), "/account/connections?done=connected");
        self.connections()[0]["id"].as_str().unwrap().to_owned()
    }

    /// Returns the connections of Ann.
    fn connections(&self) -> Vec<serde_json::Value> {
        let list = self.server.ann().get("/api/v1/sync/connections").expect(200).json();
        list.as_array().unwrap().clone()
    }

    /// Returns the path of a connection in the API.
    fn path(&self, connection: &str, rest: &str) -> String {
        format!("/api/v1/cloud/{}/{connection}{rest}", self.provider)
    }
}

/// Returns the code of the error in a response.
#[track_caller]
fn code_of(response: &Response, status: u16) -> String {
    assert_eq!(response.status, status, "{response}");
    response.json()["code"].as_str().unwrap().to_owned()
}
