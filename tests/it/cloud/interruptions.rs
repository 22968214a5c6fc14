//! Sources and connections after a refusal, a late refresh and a new consent.

use std::thread;
use std::time::Duration;
use std::time::Instant;

use chartroom::features::cloud;
use chartroom::features::cloud::CloudFailure;
use chartroom::features::cloud::Connection;
use chartroom_cloud::CloudError;
use chartroom_cloud::Session;
use chartroom_platform::config::Config;
use chartroom_platform::db::DATABASE_FILE_NAME;
use chartroom_platform::remote::Deadline;
use chartroom_platform::time::Timestamp;
use chartroom_stand_ins::StandIn;
use chartroom_stand_ins::http::Response;
use serde_json::json;

use super::Setup;
use super::sources::FILE_PROVIDERS;
use super::sources::create_synced;
use super::sources::run;
use super::sources::sync_url;
use crate::client;
use crate::test_server::TestServer;

/// Waits until a condition is true.
fn wait_until(what: &str, mut condition: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(20);
    while !condition() {
        assert!(Instant::now() < end, "{what}");
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_refused_file_does_not_end_the_connection() {
    for provider in FILE_PROVIDERS {
        let setup = Setup::start(provider);
        let connection = setup.connect();
        setup.stand_in.lock().tree.add_file("root", "Sales.csv", b"City,Sales\nBonn,4\n");
        let ann = setup.server.ann();
        let id = create_synced(&ann, &sync_url(&setup, &connection, "Sales.csv"));
        assert!(run(&ann, &id).0.get("error").is_none(), "{provider}");
        // Also with new tokens.
        setup.stand_in.lock().faults = vec![Response::json(401, &json!({})); 2];
        let (job, document) = run(&ann, &id);
        let error = job["error"].as_str().unwrap();
        assert!(error.contains("does not permit"), "{provider}: {error}");
        assert_eq!(document["sync"]["status"], "failing", "{provider}");
        assert_eq!(setup.connections()[0]["state"], "active", "{provider}");
        let (job, document) = run(&ann, &id);
        assert!(job.get("error").is_none(), "{provider}: {job}");
        assert_eq!(document["sync"]["status"], "ok", "{provider}");
    }
}

#[test]
fn stopped_sources_run_at_once_after_a_new_consent() {
    let setup = Setup::start("googledrive");
    let connection = setup.connect();
    let file = setup.stand_in.lock().tree.add_file("root", "Sales.csv", b"City,Sales\nBonn,4\n");
    let ann = setup.server.ann();
    let url = sync_url(&setup, &connection, "Sales.csv");
    let id = create_synced(&ann, &url);
    assert!(run(&ann, &id).0.get("error").is_none());
    let read = || ann.get(&format!("/api/v1/users/me/documents/{id}")).expect(200).json();
    setup.stand_in.lock().oauth.grants.iter_mut().for_each(|grant| grant.is_revoked = true);
    run(&ann, &id);
    assert_eq!(read()["sync"]["status"], "stopped");
    setup.stand_in.lock().tree.set_content(&file, b"City,Sales\nBonn,5\n");
    assert_eq!(setup.connect(), connection);
    wait_until("the run after the consent", || read()["sync"]["status"] == "ok");
    assert_eq!(read()["data"][0]["value"], 5);
}

#[test]
fn a_source_in_the_account_of_another_person_is_refused_with_a_reason() {
    let setup = Setup::start("dropbox");
    let connection = setup.connect();
    setup.stand_in.lock().tree.add_file("root", "Sales.csv", b"City,Sales\nBonn,4\n");
    let (ann, ben) = (setup.server.ann(), setup.server.ben());
    let url = sync_url(&setup, &connection, "Sales.csv");
    let id = create_synced(&ann, &url);
    let share = json!({ "owner": ann.id, "document": id, "user_id": ben.id, "mode": "w" });
    ann.post("/api/v1/share", share).expect(200);
    assert!(run(&ann, &id).0.get("error").is_none());
    // Ben stops the source and undoes this, or changes the schedule.
    let body = json!({ "document_id": id, "url": url });
    let refused = ben.post("/api/v1/sync/create", body.clone()).expect(400).json();
    assert_eq!(refused["errors"][0]["field"], "url", "{refused}");
    let message = refused["errors"][0]["message"].as_str().unwrap();
    assert!(message.contains("connection of another person"), "{message}");
    let job = ben.get(&format!("/api/v1/sync/document/{id}")).expect(200).json();
    assert!(job.get("error").is_none(), "the source of Ann still works: {job}");
    ann.post("/api/v1/sync/create", body).expect(204);
    // The provider in the address must be that of the connection.
    let other = url.replace("cloud://dropbox/", "cloud://box/");
    ann.post("/api/v1/sync/create", json!({ "document_id": id, "url": other })).expect(400);
}

/// A server in this process with a connection of one user to a stand-in of Box.
struct Connected {
    server: TestServer,
    stand_in: StandIn,
    cookie: String,
    connection: Connection,
}

impl Connected {
    /// Starts the servers and connects the account.
    fn start() -> Self {
        let stand_in = chartroom_stand_ins::start("box").unwrap();
        let addresses = &stand_in.addresses;
        let mut config = Config { remote_private: true, ..Config::default() };
        config.box_client_id = "client-id".to_owned();
        config.box_client_secret = "client-secret".to_owned().into();
        config.box_auth_url.clone_from(&addresses.auth_url);
        config.box_token_url.clone_from(&addresses.token_url);
        config.box_api_url.clone_from(&addresses.api_url);
        let server = TestServer::with_config(config);
        let user = server.create_user("Ann");
        let body = json!({ "email": "ann@example.org", "password": crate::test_server::PASSWORD });
        let cookie = server.sign_in(&body.to_string()).cookie();
        consent(&server, &cookie);
        let list = server.app.db.read(|tx| cloud::list_connections(tx, &user.id)).unwrap();
        let connection = list.into_iter().next().unwrap();
        Self { server, stand_in, cookie, connection }
    }

    /// Connects the account again.
    fn consent(&self) {
        consent(&self.server, &self.cookie);
    }

    /// Asks the provider for the account, within this time.
    fn ask(&self, time: Duration) -> Result<(), CloudFailure> {
        let work = |session: &Session<'_>| session.account().map(drop);
        cloud::with_session(&self.server.app, &self.connection, Deadline::after(time), work)
    }
}

/// Connects the account of the browser with this cookie.
fn consent(server: &TestServer, cookie: &str) {
    let get = |path: &str| server.send("GET", path, &[("cookie", cookie)], "");
    let page = get("/cloud/oauth/box/start").header("location");
    let agent = ureq::Agent::new_with_config(
        ureq::config::Config::builder().max_redirects(0).http_status_as_error(false).build(),
    );
    let back = agent.get(&page).call().unwrap();
    let back = back.headers()["location"].to_str().unwrap().to_owned();
    let path = &back[back.find("/cloud/").unwrap()..];
    assert_eq!(get(path).status, 303);
}

#[test]
fn a_refresh_shortly_before_a_deadline_does_not_lose_a_token_of_one_use() {
    let connected = Connected::start();
    {
        let mut state = connected.stand_in.lock();
        state.oauth.expire_access();
        state.oauth.token_delay = Duration::from_millis(1500);
    }
    let late = connected.ask(Duration::from_secs(1));
    let is_timeout = matches!(late, Err(CloudFailure::Provider(CloudError::Timeout)));
    assert!(is_timeout, "{late:?}");
    connected.ask(Duration::from_secs(45)).unwrap();
}

#[test]
fn a_late_refresh_does_not_replace_the_tokens_of_a_newer_consent() {
    let connected = Connected::start();
    {
        let mut state = connected.stand_in.lock();
        state.oauth.expire_access();
        state.oauth.token_delay = Duration::from_secs(2);
    }
    let refreshes = connected.stand_in.lock().oauth.refreshes;
    let user = &connected.connection.user;
    let stored = || {
        let list = connected.server.app.db.read(|tx| cloud::list_connections(tx, user)).unwrap();
        list[0].tokens.clone()
    };
    thread::scope(|threads| {
        let late = threads.spawn(|| connected.ask(Duration::from_secs(45)));
        wait_until("the refresh", || connected.stand_in.lock().oauth.refreshes > refreshes);
        connected.stand_in.lock().oauth.token_delay = Duration::ZERO;
        connected.consent();
        let newer = stored();
        assert_ne!(newer, connected.connection.tokens);
        late.join().unwrap().unwrap();
        assert_eq!(stored(), newer);
    });
    connected.ask(Duration::from_secs(45)).unwrap();
}

/// Removes the stored responses, as if the server was killed after the success of the provider.
fn forget_responses(setup: &Setup) {
    let database = setup.server.data_dir().join(DATABASE_FILE_NAME);
    let connection = rusqlite::Connection::open(database).unwrap();
    connection.execute("delete from idempotency", []).unwrap();
}

/// Sets the time of all files of the account to the present.
fn mark_as_new(setup: &Setup) {
    let now = Timestamp::now().to_string();
    for node in &mut setup.stand_in.lock().tree.nodes {
        node.modified = Some(now.clone());
    }
}

/// Creates a chart with a key, and returns the response.
fn create_once(setup: &Setup, connection: &str, key: &str, widget: &str) -> client::Response {
    let client = setup.server.ann().with_header("idempotency-key", key);
    let path = setup.path(connection, "/documents");
    client.post(&path, json!({ "widget": widget, "title": "Sales" }))
}

#[test]
fn a_repeated_request_fails_while_the_provider_refuses_to_show_the_file() {
    let setup = Setup::start("dropbox");
    let connection = setup.connect();
    let count = || setup.stand_in.lock().tree.children("root").len();
    let first = create_once(&setup, &connection, "a", "bar").expect(200).json();
    mark_as_new(&setup);
    forget_responses(&setup);
    let busy = Response::json(429, &json!({})).with("Retry-After", "100");
    setup.stand_in.lock().outage = Some(("files/download", busy));
    create_once(&setup, &connection, "a", "bar").expect(502);
    assert_eq!(count(), 1);
    setup.stand_in.lock().outage = None;
    assert_eq!(create_once(&setup, &connection, "a", "bar").expect(200).json()["id"], first["id"]);
    // Another request with this key, and a file that is no chart.
    forget_responses(&setup);
    let other = create_once(&setup, &connection, "a", "pie").expect(200).json();
    assert_ne!(other["id"], first["id"]);
    setup.stand_in.lock().tree.nodes[0].content = Some(b"no chart".to_vec());
    forget_responses(&setup);
    create_once(&setup, &connection, "a", "bar").expect(200);
    assert_eq!(count(), 3);
}

#[test]
fn a_repeated_request_lists_the_folder_once_and_reads_only_new_files() {
    let setup = Setup::start("dropbox");
    let connection = setup.connect();
    for key in ["a", "b", "c"] {
        create_once(&setup, &connection, key, "bar").expect(200);
    }
    mark_as_new(&setup);
    let earlier = Timestamp::now().saturating_sub(Duration::from_hours(48)).to_string();
    for node in &mut setup.stand_in.lock().tree.nodes[..2] {
        node.modified = Some(earlier.clone());
    }
    setup.stand_in.lock().log.clear();
    create_once(&setup, &connection, "d", "bar").expect(200);
    let log = setup.stand_in.lock().log.clone();
    let count = |part: &str| log.iter().filter(|line| line.contains(part)).count();
    assert_eq!((count("files/list_folder"), count("files/download")), (1, 1), "{log:#?}");
}

#[test]
fn a_repeated_request_creates_one_file_although_its_response_was_lost() {
    for provider in FILE_PROVIDERS {
        let setup = Setup::start(provider);
        let id = setup.connect();
        let path = setup.path(&id, "/documents");
        let create = |key: &str, title: &str| {
            let client = setup.server.ann().with_header("idempotency-key", key);
            let created = client.post(&path, json!({ "widget": "bar", "title": title }));
            created.expect(200).json()["id"].as_str().unwrap().to_owned()
        };
        let count = || setup.stand_in.lock().tree.children("root").len();
        let first = create("a", "Sales");
        mark_as_new(&setup);
        forget_responses(&setup);
        assert_eq!(create("a", "Sales"), first, "{provider}");
        assert_eq!(count(), 1, "{provider}");
        assert_ne!(create("b", "Sales"), first, "{provider}: another request");
        assert_eq!(count(), 2, "{provider}");
        let twice: Vec<String> = thread::scope(|threads| {
            let both: Vec<_> = (0..2).map(|_| threads.spawn(|| create("c", "Costs"))).collect();
            both.into_iter().map(|request| request.join().unwrap()).collect()
        });
        assert_eq!(twice[0], twice[1], "{provider}");
        assert_eq!(count(), 3, "{provider}");
    }
}
