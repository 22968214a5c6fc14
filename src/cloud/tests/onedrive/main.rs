//! The client of OneDrive against the stand-in.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../stand_in_session/mod.rs"]
mod stand_in_session;
mod authorization;
mod failures;
mod files;
mod folders;

use chartroom_cloud::Fetched;
use chartroom_cloud::Provider;
use chartroom_cloud::ProviderSettings;
use chartroom_cloud::Session;
use chartroom_cloud::SourceFile;
use chartroom_platform::config::Secret;
use chartroom_platform::remote::RemoteClient;
use chartroom_stand_ins::StandIn;
use chartroom_stand_ins::State;
use chartroom_stand_ins::http::Response;
use chartroom_stand_ins::onedrive;
use chartroom_stand_ins::onedrive::Behavior;
use chartroom_stand_ins::onedrive::DRIVE;
use chartroom_stand_ins::onedrive::SharedBehavior;

/// Redirect URI of the client.
const REDIRECT_URI: &str = "http://127.0.0.1:1/cloud/oauth/onedrive/callback";
/// Scopes of the client.
const SCOPES: &str = "offline_access User.Read Files.ReadWrite";
/// Secret of PKCE.
const VERIFIER: &str = "0123456789012345678901234567890123456789012";

/// A stand-in, a client of it, and tokens.
struct Fixture {
    stand_in: StandIn,
    behavior: SharedBehavior,
    settings: ProviderSettings,
    client: RemoteClient,
    access: Secret,
    refresh: Secret,
}

impl Fixture {
    /// Starts a stand-in with a valid token.
    fn new() -> Self {
        let behavior = SharedBehavior::default();
        let stand_in = onedrive::start_with(behavior.clone()).unwrap();
        let (settings, client) = stand_in_session::connect(Provider::OneDrive, &stand_in, SCOPES);
        let grant = stand_in.lock().oauth.grant("");
        let (access, refresh) = (grant.access.into(), grant.refresh.unwrap().into());
        Self { stand_in, behavior, settings, client, access, refresh }
    }

    /// Returns a session with the valid token.
    fn session(&self) -> Session<'_> {
        stand_in_session::session(&self.settings, &self.client, &self.access)
    }

    /// Changes the state of the stand-in.
    fn change<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        change(&mut self.stand_in.lock())
    }

    /// Changes the behavior of the stand-in.
    fn behave(&self, change: impl FnOnce(&mut Behavior)) {
        change(&mut self.behavior.lock().unwrap());
    }

    /// Adds a file to the drive of the account. Returns its id in our API.
    fn add_file(&self, parent: &str, name: &str, content: &[u8]) -> String {
        let id = self.change(|state| state.tree.add_file(parent, name, content));
        format!("{DRIVE}/{id}")
    }

    /// Adds a folder to the drive of the account. Returns its id in our API.
    fn add_folder(&self, parent: &str, name: &str) -> String {
        let id = self.change(|state| state.tree.add_folder(parent, name));
        format!("{DRIVE}/{id}")
    }

    /// Returns responses in place of the next ones, the first one first.
    fn fail(&self, mut faults: Vec<Response>) {
        faults.reverse();
        self.change(|state| state.faults = faults);
    }

    /// Returns the number of logged requests that start with a text.
    fn count(&self, start: &str) -> usize {
        self.change(|state| state.log.iter().filter(|line| line.starts_with(start)).count())
    }
}

/// Returns the id of a node in the stand-in.
fn node_id(id: &str) -> &str {
    id.split_once('/').unwrap().1
}

/// Returns the downloaded file.
fn fetched(result: Fetched) -> SourceFile {
    match result {
        Fetched::File(file) => file,
        Fetched::NotModified => panic!("the file was not downloaded"),
    }
}
