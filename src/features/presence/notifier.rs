//! The thread that sends changes of documents and of their people to the open streams.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;
use std::time::Instant;

use hyper::body::Bytes;

use super::people;
use super::people::People;
use super::watcher::EndReason;
use super::watcher::SUBJECT_PREFIX;
use super::watcher::Watcher;
use super::watcher::WatcherAccess;
use super::watcher::is_presence_subject;
use crate::app::App;
use crate::features::tree;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Result;
use chartroom_platform::http::Response;
use chartroom_platform::http::event_hub::SseEvent;
use chartroom_platform::http::event_hub::format_event;
use chartroom_platform::id::NodeId;
use chartroom_platform::threads::StoppableThread;

/// Interval of full checks without a change of a document. They find people who left, sessions that
/// ended, shares that were revoked, and changes by other processes.
const FULL_CHECK_INTERVAL: Duration = Duration::from_secs(1);
/// Minimum time between two checks while other requests write.
const MIN_CHECK_INTERVAL: Duration = Duration::from_millis(50);
/// Pause after a check, as a multiple of its duration, so that many streams take at most a fifth of
/// one core.
const PAUSE_FACTOR: u32 = 4;

/// Starts the notifier thread. Stopping it does not close the streams, which the server does.
///
/// # Errors
/// If the thread cannot be started.
pub fn start_notifier(app: Arc<App>) -> Result<StoppableThread> {
    let woken = app.clone();
    let wake = move || request_check(&woken);
    StoppableThread::start("presence", move |stopped| run(&app, stopped), wake)
}

/// Makes the notifier check all streams now, without waiting for the next full check. For changes of
/// accounts that end access, after their commit.
pub fn request_check(app: &App) {
    app.event_hub.opened_signal().notify();
    app.db.commit_signal().notify();
}

/// Runs the loop of the notifier thread until `stopped` is set. Without open streams, only waits.
/// Logs errors and continues.
fn run(app: &App, stopped: &AtomicBool) {
    let (streams, committed) = (&app.event_hub, app.db.commit_signal());
    let mut sent_people = SentPeople::new();
    while !stopped.load(Ordering::SeqCst) {
        let opened = streams.opened_signal().count();
        if !streams.has_subjects(SUBJECT_PREFIX) {
            sent_people.clear();
            streams.opened_signal().wait_past(opened, Response::EVENT_STREAM_KEEPALIVE);
            continue;
        }
        let began = Instant::now();
        let change = notify_streams(app, &mut sent_people);
        let pause = (began.elapsed() * PAUSE_FACTOR).max(MIN_CHECK_INTERVAL);
        let change = change.unwrap_or_else(|error| {
            tracing::error!(error = %error.operator_message(), "cannot send changes of presence");
            None
        });
        thread::sleep(pause);
        let mut last_read = Instant::now();
        while !stopped.load(Ordering::SeqCst) {
            let seen_streams = streams.opened_signal().count();
            // Armed before reading, so that a commit after the read ends the wait at once.
            let seen_commits = committed.arm();
            let rest = FULL_CHECK_INTERVAL.saturating_sub(began.elapsed());
            let is_changed = seen_streams != opened || read_last_change(app) != change;
            if is_changed || rest.is_zero() {
                break;
            }
            committed.wait_past(seen_commits, rest);
            // Most commits change no document.
            thread::sleep(MIN_CHECK_INTERVAL.saturating_sub(last_read.elapsed()));
            last_read = Instant::now();
        }
    }
}

/// Returns the last change number of nodes. None if it cannot be read.
fn read_last_change(app: &App) -> Option<i64> {
    app.db.read(tree::last_change_number).ok()
}

/// The people that were sent last, as JSON, by the subject of the stream.
type SentPeople = HashMap<String, String>;

/// The state that a stream should have.
enum StreamState {
    Open(OpenStreamState),
    Ended(EndReason),
}

/// The state that a stream of a caller with access should have.
struct OpenStreamState {
    /// Revision of the document.
    revision: i64,
    /// Other people who have the document open, as JSON.
    people: String,
    /// Events that the stream lacks, which may be none.
    events: Vec<u8>,
}

/// Sends to all streams the people and revisions that they do not have, and closes streams that lost
/// access. Returns the last change number of nodes that this includes.
fn notify_streams(app: &App, sent_people: &mut SentPeople) -> Result<Option<i64>> {
    let mut streams = app.event_hub.stream_states();
    streams.retain(|(subject, _)| is_presence_subject(subject));
    let (change, mut states) = app.db.read(|tx| {
        let change = tree::last_change_number(tx)?;
        Ok((change, load_states(tx, &app.config.base_url, &streams, sent_people)?))
    })?;
    app.event_hub.broadcast(|subject, _| match states.get(subject) {
        Some(StreamState::Open(state)) if !state.events.is_empty() => {
            SseEvent::Update(state.revision, Bytes::copy_from_slice(&state.events))
        }
        Some(StreamState::Ended(reason)) => {
            let data = format!(r#"{{"reason":"{}"}}"#, reason.as_str());
            SseEvent::Last(format_event("end", &data))
        }
        // A stream of another feature, or one that was opened after `streams` was read.
        Some(StreamState::Open(_)) | None => SseEvent::Unchanged,
    });
    *sent_people = states
        .drain()
        .filter_map(|(subject, state)| match state {
            StreamState::Open(state) => Some((subject, state.people)),
            StreamState::Ended(_) => None,
        })
        .collect();
    Ok(Some(change))
}

/// Returns the state that each of `streams` should have, by subject. `streams` has subjects and known
/// revisions.
fn load_states(
    tx: &Tx<'_>,
    base_url: &str,
    streams: &[(String, i64)],
    sent_people: &SentPeople,
) -> Result<HashMap<String, StreamState>> {
    let mut states = HashMap::with_capacity(streams.len());
    let mut people: HashMap<NodeId, People> = HashMap::new();
    let mut open_streams = Vec::new();
    for (subject, known_revision) in streams {
        let Some(watcher) = Watcher::from_subject(subject) else { continue };
        match watcher.check_access(tx)? {
            WatcherAccess::Ended(reason) => {
                states.insert(subject.clone(), StreamState::Ended(reason));
            }
            WatcherAccess::Open(open) => {
                let found = people.entry(watcher.document.clone()).or_default();
                found.add(base_url, &watcher, &open);
                open_streams.push((subject, *known_revision, watcher, open));
            }
        }
    }
    for (subject, known_revision, watcher, open) in open_streams {
        let people = match people.get(&watcher.document) {
            Some(found) if open.sees_people => found.list_others(&watcher.account)?,
            _ => "[]".to_owned(),
        };
        let mut events = Vec::new();
        if sent_people.get(subject) != Some(&people) {
            events.extend_from_slice(&format_event("people", &people));
        }
        let revision = open.document.revision;
        if known_revision != revision {
            events.extend(people::revision_event(tx, &open.document, open.sees_people)?);
        }
        let state = OpenStreamState { revision, people, events };
        states.insert(subject.clone(), StreamState::Open(state));
    }
    Ok(states)
}
