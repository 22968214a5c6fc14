//! The order in which waiting jobs run, and the part of the threads that one account gets.

use std::time::Duration;

use super::Source;
use super::create_document;
use super::create_job;
use super::read_job;
use super::run_job;
use super::start_server_with;
use super::wait_until;

#[test]
fn the_jobs_of_one_account_leave_threads_to_others() {
    let server = start_server_with(&[("sync_threads", "4")]);
    let (ann, ben) = (server.ann(), server.ben());
    // Each address is a host of its own.
    let slow: Vec<Source> = (2..6)
        .map(|number| Source::start_at(&format!("127.0.0.{number}"), "City,Sales\nBonn,4\n"))
        .collect();
    for source in &slow {
        source.set(|state| state.delay = Duration::from_secs(4));
        create_job(&ann, &create_document(&ann, "bar"), &source.url);
    }
    let running = || slow.iter().map(Source::hits).sum::<usize>();
    wait_until("the slow runs", || running() >= 2);
    let fast = Source::start("City,Sales\nKiel,8\n");
    let id = create_document(&ben, "bar");
    create_job(&ben, &id, &fast.url);
    wait_until("the run of another account", || read_job(&ben, &id)["downloaded_at"].is_string());
    assert_eq!(running(), 2, "at most a part of the threads runs the jobs of one account");
    wait_until("all slow runs", || running() == 4);
}

#[test]
fn a_waiting_job_that_a_request_has_run_does_not_run_again() {
    let server = start_server_with(&[("sync_threads", "1")]);
    let ann = server.ann();
    let (slow, other) =
        (Source::start("City,Sales\nBonn,4\n"), Source::start("City,Sales\nKiel,8\n"));
    slow.set(|state| state.delay = Duration::from_secs(3));
    let slow_id = create_document(&ann, "bar");
    create_job(&ann, &slow_id, &slow.url);
    wait_until("the slow run", || slow.hits() == 1);
    let id = create_document(&ann, "bar");
    create_job(&ann, &id, &other.url);
    // The thread looks for due jobs each second.
    std::thread::sleep(Duration::from_millis(1500));
    run_job(&ann, &id);
    assert_eq!(other.hits(), 1);
    wait_until("the end of the slow run", || read_job(&ann, &slow_id)["downloaded_at"].is_string());
    std::thread::sleep(Duration::from_millis(1500));
    assert_eq!(other.hits(), 1);
}
