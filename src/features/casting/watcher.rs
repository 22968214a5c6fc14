//! The thread that follows what is written and tells the screens that it concerns.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering;
use std::thread;
use std::thread::JoinHandle;
use std::time::Duration;
use std::time::Instant;

use hyper::body::Bytes;

use super::actions;
use super::rules::End;
use super::rules::Session;
use super::screen::CheckView;
use super::store;
use crate::app::App;
use crate::features::documents::Head;
use crate::features::documents::lent;
use crate::features::tree;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Result;
use chartroom_platform::http::Response;
use chartroom_platform::http::streams::Word;
use chartroom_platform::http::streams::event;
use chartroom_platform::id::CastId;
use chartroom_platform::id::NodeId;
use chartroom_platform::time::Timestamp;

/// How soon after a look the next one follows while others write: each reads every open session.
const PACE: Duration = Duration::from_millis(50);
/// How often to look without being woken: finds what other processes wrote, who may not decide about
/// a document any more, and whose time is over.
const SWEEP: Duration = Duration::from_secs(2);

/// The thread.
pub struct Watcher {
    app: Arc<App>,
    stopped: Arc<AtomicBool>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Watcher {
    /// Starts it.
    ///
    /// # Errors
    /// When a thread cannot be started.
    pub fn start(app: Arc<App>) -> Result<Self> {
        let stopped = Arc::new(AtomicBool::new(false));
        let (its, told) = (app.clone(), stopped.clone());
        let work = move || run(&its, &told);
        let thread = thread::Builder::new().name("cast".to_owned()).spawn(work)?;
        Ok(Self { app, stopped, thread: Mutex::new(Some(thread)) })
    }

    /// Ends it. The streams end with the server.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::SeqCst);
        self.app.streams.opened().ring();
        self.app.db.committed().ring();
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if thread.is_some_and(|it| it.join().is_err()) {
            tracing::error!("the thread that tells screens panicked");
        }
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        self.stop();
    }
}

fn run(app: &App, stopped: &AtomicBool) {
    let (streams, committed) = (&app.streams, app.db.committed());
    let mut known = None;
    let (mut swept, mut beaten) = (Instant::now(), Instant::now());
    while !stopped.load(Ordering::SeqCst) {
        let opened = streams.opened().rings();
        if streams.is_empty() {
            streams.opened().wait(opened, Response::STREAM_BEAT);
            continue;
        }
        // Counted before looking, so that a commit after the look ends the wait at once.
        let heard = committed.listen();
        let began = Instant::now();
        if began.duration_since(swept) >= SWEEP {
            (known, swept) = (None, began);
        }
        if let Err(error) = look(app, &mut known) {
            tracing::error!(error = %error.full(), "screens cannot be told of changes");
        }
        if began.duration_since(beaten) >= Response::STREAM_BEAT {
            beaten = began;
            streams.tell(|_, state| Word::Event(state, event("beat", "{}")));
        }
        committed.wait(heard, SWEEP.saturating_sub(swept.elapsed()));
        // What was looked at took no time worth naming when nothing had changed.
        thread::sleep(PACE.saturating_sub(began.elapsed()));
    }
}

/// Numbers that change with whatever may concern a screen: of the last change of a document, and the
/// time when a session was ended last.
type Mark = (i64, Option<Timestamp>);

/// What a session's streams should know.
enum Now {
    /// This revision; with the event that tells it, if one of them knows another.
    Showing(i64, Option<Bytes>),
    Over(End),
}

/// Tells the streams what has changed since `known`; looks at all of them when that is none.
fn look(app: &App, known: &mut Option<Mark>) -> Result<()> {
    let mark = app.db.read(|tx| Ok((tree::last_change(tx)?, store::last_revoked(tx)?)))?;
    if *known == Some(mark) {
        return Ok(());
    }
    let states = app.streams.states();
    let (present, due) = app.db.read(|tx| present(tx, &states))?;
    app.streams.tell(|subject, state| match present.get(subject) {
        Some(Now::Showing(revision, Some(event))) if *revision != state => {
            Word::Event(*revision, event.clone())
        }
        Some(Now::Showing(..)) => Word::Nothing,
        Some(Now::Over(end)) => Word::Last(event(end.word(), "{}")),
        // Opened after the others were looked up, or gone with its document.
        None if states.iter().all(|(it, _)| it != subject) => Word::Nothing,
        None => Word::Last(event(End::Revoked.word(), "{}")),
    });
    if !due.is_empty() {
        app.db.write(move |tx| store::touch(tx, &due))?;
    }
    *known = Some(mark);
    Ok(())
}

/// What the streams should know, by session, and the sessions of which it is to be stored that their
/// screens were heard of.
fn present(tx: &Tx<'_>, states: &[(String, i64)]) -> Result<(HashMap<String, Now>, Vec<CastId>)> {
    let ids: Vec<&str> = states.iter().map(|(subject, _)| subject.as_str()).collect();
    let mut told: HashMap<&str, Vec<i64>> = HashMap::with_capacity(states.len());
    for (subject, state) in states {
        told.entry(subject).or_default().push(*state);
    }
    let (mut present, mut due) = (HashMap::with_capacity(states.len()), Vec::new());
    let mut heads: HashMap<NodeId, Option<Head>> = HashMap::new();
    for session in store::all(tx, &ids)? {
        let now = match actions::end(tx, &session)? {
            Some(end) => Now::Over(end),
            None => {
                if session.is_due(tx.now) {
                    due.push(session.id.clone());
                }
                let known = told.get(session.id.as_str()).map_or(&[][..], Vec::as_slice);
                let event = match known.iter().all(|it| *it == session.revision) {
                    true => None,
                    false => updated(tx, &session, &mut heads)?,
                };
                Now::Showing(session.revision, event)
            }
        };
        present.insert(session.id.to_string(), now);
    }
    Ok((present, due))
}

/// The event that tells a session's screen of the document's present state. Many screens show the
/// same document: it is read once for all.
fn updated(
    tx: &Tx<'_>,
    session: &Session,
    heads: &mut HashMap<NodeId, Option<Head>>,
) -> Result<Option<Bytes>> {
    if !heads.contains_key(&session.document) {
        heads.insert(session.document.clone(), lent::find(tx, &session.document)?);
    }
    let Some(Some(head)) = heads.get(&session.document) else { return Ok(None) };
    let view = CheckView::of(session, head)?;
    Ok(Some(event("updated", &serde_json::to_string(&view)?)))
}
