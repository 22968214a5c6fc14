//! A stand-in of Smartsheet and a client of it.

use std::sync::Arc;
use std::sync::Mutex;
use std::sync::MutexGuard;

use chartroom_cloud::Page;
use chartroom_cloud::Provider;
use chartroom_cloud::ProviderSettings;
use chartroom_cloud::Session;
use chartroom_platform::config::Secret;
use chartroom_platform::remote::RemoteClient;
use chartroom_stand_ins::StandIn;
use chartroom_stand_ins::http::Response;
use chartroom_stand_ins::smartsheet;
use chartroom_stand_ins::smartsheet::Sheets;

/// Names that are hard to send in headers, paths and JSON.
pub(super) const NAMES: [&str; 5] = [
    "Überblick – 概要.chart.json",
    "\"quoted\" \\ back\\slash.chart.json",
    "🙂 emoji +plus%20 50%.chart.json",
    "a;b=c/d?e#f&g.chart.json",
    "line\r\nbreak.chart.json",
];

/// A stand-in and a client with a valid token.
pub(super) struct Setup {
    pub(super) stand_in: StandIn,
    sheets: Arc<Mutex<Sheets>>,
    pub(super) settings: ProviderSettings,
    pub(super) client: RemoteClient,
    pub(super) token: Secret,
}

impl Setup {
    /// Starts a stand-in.
    pub(super) fn new() -> Self {
        let (stand_in, sheets) = smartsheet::start_with_sheets().unwrap();
        let scopes = "READ_SHEETS WRITE_SHEETS";
        let (settings, client) =
            crate::stand_in_session::connect(Provider::Smartsheet, &stand_in, scopes);
        let token = stand_in.lock().oauth.grant("").access.into();
        Self { stand_in, sheets, settings, client, token }
    }

    /// Returns a session that ends in 10 seconds.
    pub(super) fn session(&self) -> Session<'_> {
        crate::stand_in_session::session(&self.settings, &self.client, &self.token)
    }

    /// Locks the sheets of the stand-in.
    pub(super) fn sheets(&self) -> MutexGuard<'_, Sheets> {
        self.sheets.lock().unwrap()
    }

    /// Returns the ids of the example workspace, folder and sheet.
    pub(super) fn example(&self) -> (u64, u64, u64) {
        let sheets = self.sheets();
        (sheets.workspaces[0].id, sheets.folders[0].id, sheets.sheets[0].id)
    }

    /// Injects a response of the API in place of the next one.
    pub(super) fn inject(&self, response: Response) {
        self.stand_in.lock().faults.push(response);
    }

    /// Returns the log and empties it.
    pub(super) fn take_log(&self) -> Vec<String> {
        std::mem::take(&mut self.stand_in.lock().log)
    }

    /// Lists all pages of a folder.
    pub(super) fn list_all(&self, id: &str) -> Vec<Page> {
        let session = self.session();
        let mut pages = vec![session.list_folder(id, None).unwrap()];
        while let Some(cursor) = pages.last().unwrap().cursor.clone() {
            pages.push(session.list_folder(id, Some(&cursor)).unwrap());
        }
        pages
    }
}
