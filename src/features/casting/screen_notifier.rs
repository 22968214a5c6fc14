//! The thread that sends document changes and session ends to the streams of screens.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;
use std::time::Instant;

use hyper::body::Bytes;

use super::actions;
use super::rules::CastSession;
use super::rules::EndReason;
use super::screen::CheckView;
use crate::app::App;
use crate::features::documents::Document;
use crate::features::documents::screen_render;
use crate::features::presence;
use crate::features::tree;
use chartroom_platform::crypto::Sha256Hash;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Result;
use chartroom_platform::http::Response;
use chartroom_platform::http::event_hub::SseEvent;
use chartroom_platform::http::event_hub::format_event;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::CastId;
use chartroom_platform::id::NodeId;
use chartroom_platform::threads::StoppableThread;
use chartroom_platform::time::Timestamp;

/// Minimum time between two checks while other requests write, because each check reads every open
/// session.
const MIN_CHECK_INTERVAL: Duration = Duration::from_millis(50);
/// Interval of full checks without a commit signal. They find changes by other processes, changes of
/// themes, creators who lost access, and expired sessions.
const FULL_CHECK_INTERVAL: Duration = Duration::from_secs(2);

/// Starts the notifier thread. Stopping it does not close the streams, which the server does.
///
/// # Errors
/// If the thread cannot be started.
pub fn start_notifier(app: Arc<App>) -> Result<StoppableThread> {
    let woken = app.clone();
    let wake = move || {
        woken.event_hub.opened_signal().notify();
        woken.db.commit_signal().notify();
    };
    StoppableThread::start("cast", move |stopped| run(&app, stopped), wake)
}

/// Runs the loop of the notifier thread until `stopped` is set. Without open streams, only waits.
///
/// While streams are open, calls [`notify_streams`] after each commit of this process and at least
/// every [`FULL_CHECK_INTERVAL`], and sends periodic beats to the streams of all features. Logs errors
/// and continues.
fn run(app: &App, stopped: &AtomicBool) {
    let (streams, committed) = (&app.event_hub, app.db.commit_signal());
    let mut last_mark = None;
    let (mut last_full_check, mut last_beat) = (Instant::now(), Instant::now());
    while !stopped.load(Ordering::SeqCst) {
        let opened = streams.opened_signal().count();
        if streams.is_empty() {
            streams.opened_signal().wait_past(opened, Response::EVENT_STREAM_KEEPALIVE);
            continue;
        }
        // Armed before reading, so that a commit after the read ends the wait at once.
        let seen_commits = committed.arm();
        let began = Instant::now();
        if began.duration_since(last_full_check) >= FULL_CHECK_INTERVAL {
            (last_mark, last_full_check) = (None, began);
        }
        if let Err(error) = notify_streams(app, &mut last_mark) {
            tracing::error!(error = %error.operator_message(), "cannot send changes to screens");
        }
        if began.duration_since(last_beat) >= Response::EVENT_STREAM_KEEPALIVE {
            last_beat = began;
            streams.broadcast(|_, state| SseEvent::Update(state, format_event("beat", "{}")));
        }
        committed
            .wait_past(seen_commits, FULL_CHECK_INTERVAL.saturating_sub(last_full_check.elapsed()));
        // Without changes the check takes almost no time.
        thread::sleep(MIN_CHECK_INTERVAL.saturating_sub(began.elapsed()));
    }
}

/// A fingerprint of the database that changes with every event that concerns screens: the last
/// change number of nodes, and the time of the latest revocation.
type ChangeMark = (i64, Option<Timestamp>);

/// The state of a session that its streams should have.
enum SessionState {
    /// Active with this image version, and the event for streams that know another version.
    Active(i64, Option<Bytes>),
    Ended(EndReason),
}

/// Sends the current states of their sessions to the streams that do not have them, and stores
/// activity that is due. Then sets `last_mark` to the current mark.
///
/// Does nothing if `last_mark` is the current mark already. Ended and deleted sessions close their
/// streams.
fn notify_streams(app: &App, last_mark: &mut Option<ChangeMark>) -> Result<()> {
    let mark =
        app.db.read(|tx| Ok((tree::last_change_number(tx)?, actions::latest_revocation(tx)?)))?;
    if *last_mark == Some(mark) {
        return Ok(());
    }
    let mut states = app.event_hub.stream_states();
    states.retain(|(subject, _)| !presence::is_presence_subject(subject));
    let (current_states, due_sessions) = app.db.read(|tx| load_session_states(tx, &states))?;
    app.event_hub.broadcast(|subject, state| match current_states.get(subject) {
        Some(SessionState::Active(version, Some(event))) if *version != state => {
            SseEvent::Update(*version, event.clone())
        }
        Some(SessionState::Active(..)) => SseEvent::Unchanged,
        Some(SessionState::Ended(end)) => SseEvent::Last(format_event(end.event_name(), "{}")),
        // The stream was opened after `states` was read, so the next check handles it. Or it is not
        // the stream of a screen.
        None if states.iter().all(|(known, _)| known != subject) => SseEvent::Unchanged,
        // The session was deleted together with its document.
        None => SseEvent::Last(format_event(EndReason::Revoked.event_name(), "{}")),
    });
    if !due_sessions.is_empty() {
        app.db.write_with_reserve(move |tx| actions::record_activity(tx, &due_sessions))?;
    }
    *last_mark = Some(mark);
    Ok(())
}

/// Returns the current state of the sessions by id, and the ids of the active sessions with
/// activity that is due to be stored.
///
/// `states` contains the session id and the known image version of each open stream. A state has an
/// event only if a stream knows another version. Deleted sessions are missing from the result.
fn load_session_states(
    tx: &Tx<'_>,
    states: &[(String, i64)],
) -> Result<(HashMap<String, SessionState>, Vec<CastId>)> {
    let ids: Vec<&str> = states.iter().map(|(subject, _)| subject.as_str()).collect();
    let mut known_versions: HashMap<&str, Vec<i64>> = HashMap::with_capacity(states.len());
    for (subject, state) in states {
        known_versions.entry(subject).or_default().push(*state);
    }
    let (mut current_states, mut due_sessions) = (HashMap::with_capacity(states.len()), Vec::new());
    let mut documents: HashMap<NodeId, Option<Document>> = HashMap::new();
    // Many screens may show documents of an owner in the same theme.
    let mut themes: HashMap<(AccountId, String), Option<Sha256Hash>> = HashMap::new();
    for session in actions::list_sessions_by_ids(tx, &ids)? {
        let state = match actions::end_reason(tx, &session)? {
            Some(end) => SessionState::Ended(end),
            None => {
                if session.is_activity_due(tx.now) {
                    due_sessions.push(session.id.clone());
                }
                let known = known_versions.get(session.id.as_str()).map_or(&[][..], Vec::as_slice);
                let theme = match themes.entry((session.owner.clone(), session.theme.clone())) {
                    Entry::Occupied(known) => *known.get(),
                    Entry::Vacant(new) => {
                        *new.insert(actions::find_theme_fingerprint(tx, &session)?)
                    }
                };
                let version = actions::combine_image_version(session.revision, theme);
                let event = match known.iter().all(|known| *known == version) {
                    true => None,
                    false => build_updated_event(tx, &session, &mut documents)?,
                };
                SessionState::Active(version, event)
            }
        };
        current_states.insert(session.id.to_string(), state);
    }
    Ok((current_states, due_sessions))
}

/// Builds the `updated` event with the document's current state, or returns None if the document
/// does not exist. `documents` caches documents, because many screens may show the same one.
fn build_updated_event(
    tx: &Tx<'_>,
    session: &CastSession,
    documents: &mut HashMap<NodeId, Option<Document>>,
) -> Result<Option<Bytes>> {
    if !documents.contains_key(&session.document) {
        documents
            .insert(session.document.clone(), screen_render::find_document(tx, &session.document)?);
    }
    let Some(Some(head)) = documents.get(&session.document) else { return Ok(None) };
    let view = CheckView::new(tx, session, head)?;
    Ok(Some(format_event("updated", &serde_json::to_string(&view)?)))
}
