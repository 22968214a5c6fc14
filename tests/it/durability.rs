//! Kills the real server at random moments while many clients write. No acknowledged write may be
//! lost, and a write without a response must have taken effect completely or not at all. The audit log
//! has exactly one event for each change that took effect.
//!
//! `CHARTROOM_KILL_ROUNDS` sets the number of rounds (default 5).

mod audit_client;
mod changes;
mod record_client;
mod folder_client;
mod connection;
mod expected_state;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;
use std::time::Instant;

use crate::server_process::ServerProcess;
use audit_client::AuditClient;
use changes::CHANGE_KINDS;
use folder_client::FolderClient;
use record_client::RecordClient;

/// Number of concurrent clients that write records.
const RECORD_CLIENT_COUNT: usize = 6;
/// Number of concurrent clients that reorganize documents and folders.
const FOLDER_CLIENT_COUNT: usize = 3;
/// Number of concurrent clients that change an organization.
const AUDIT_CLIENT_COUNT: usize = 2;
/// Maximum time of one round, also on a busy machine.
const MAX_ROUND_TIME: Duration = Duration::from_secs(60);

/// Maximum number of rounds, as a multiple of the usual number.
const MAX_ROUND_FACTOR: u32 = 4;

#[test]
fn kill_loses_no_acknowledged_write() {
    let rounds =
        std::env::var("CHARTROOM_KILL_ROUNDS").ok().and_then(|text| text.parse().ok()).unwrap_or(5);
    // Each new managed account counts as a mail.
    let mut server = ServerProcess::with_settings(&[("mail_burst", "1000000")]);
    // `doctor` checks this mode, which the server sets when it creates the directory.
    fs::set_permissions(server.data_dir(), fs::Permissions::from_mode(0o700)).unwrap();
    let mut record_clients: Vec<RecordClient> =
        (0..RECORD_CLIENT_COUNT).map(RecordClient::new).collect();
    let mut folder_clients: Vec<FolderClient> =
        (0..FOLDER_CLIENT_COUNT).map(FolderClient::new).collect();
    let mut audit_clients: Vec<AuditClient> =
        (0..AUDIT_CLIENT_COUNT).map(AuditClient::new).collect();
    AuditClient::create_org(&server);
    // Each kind of change must occur, which takes more rounds on a busy machine.
    for round in 1..=rounds * MAX_ROUND_FACTOR {
        let is_complete = list_missing_kinds(&folder_clients).is_empty()
            && audit_clients.iter().any(AuditClient::has_all_actions);
        if round > rounds && is_complete {
            break;
        }
        let responses =
            run_until_killed(&server, &mut record_clients, &mut folder_clients, &mut audit_clients);
        server.kill();
        println!("round {round}: killed after {responses} responses");
        let doctor = server.run_command(&["doctor"]);
        let output = String::from_utf8_lossy(&doctor.stdout);
        assert!(doctor.status.success(), "round {round}: {output}");
        server.start();
        for client in &mut record_clients {
            client.check(&server.base_url);
        }
        for folder_client in &mut folder_clients {
            folder_client.check(&server.base_url);
        }
        for audit_client in &mut audit_clients {
            audit_client.check(&server.base_url);
        }
    }
    assert!(
        record_clients.iter().all(|client| client.step_count > 5),
        "a client got too few responses"
    );
    assert!(audit_clients.iter().any(AuditClient::has_all_actions), "an action never occurred");
    let missing = list_missing_kinds(&folder_clients);
    assert!(missing.is_empty(), "kinds of changes that never occurred: {missing:?}");
}

/// Returns the kinds of changes that no client has made yet.
fn list_missing_kinds(clients: &[FolderClient]) -> Vec<&'static str> {
    let has_occurred =
        |kind: &str| clients.iter().any(|client| client.change_counts.contains_key(kind));
    CHANGE_KINDS.iter().map(|(kind, _)| *kind).filter(|kind| !has_occurred(kind)).collect()
}

/// Runs all clients, kills the server after a random number of responses, and returns the number of
/// responses.
fn run_until_killed(
    server: &ServerProcess,
    record_clients: &mut [RecordClient],
    folder_clients: &mut [FolderClient],
    audit_clients: &mut [AuditClient],
) -> u64 {
    let (responses, response_limit) = (AtomicU64::new(0), rand::random_range(100..=400));
    let count_response = || responses.fetch_add(1, Ordering::Relaxed);
    let base = &server.base_url;
    thread::scope(|scope| {
        for client in record_clients {
            scope.spawn(|| {
                while client.write_next(base).is_some() {
                    count_response();
                }
            });
        }
        for folder_client in folder_clients {
            scope.spawn(|| {
                while folder_client.change_next(base).is_some() {
                    count_response();
                }
            });
        }
        for audit_client in audit_clients {
            scope.spawn(|| {
                while audit_client.change_next(base).is_some() {
                    count_response();
                }
            });
        }
        let started = Instant::now();
        while responses.load(Ordering::Relaxed) < response_limit
            && started.elapsed() < MAX_ROUND_TIME
        {
            thread::sleep(Duration::from_micros(200));
        }
        thread::sleep(Duration::from_micros(rand::random_range(0..3_000)));
        // The process cannot handle this signal.
        server.signal("KILL");
        assert!(
            started.elapsed() < MAX_ROUND_TIME,
            "only {} responses",
            responses.load(Ordering::Relaxed)
        );
    });
    responses.into_inner()
}
