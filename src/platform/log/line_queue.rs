//! The queue of formatted log lines, and the thread that writes them.
//!
//! The thread wakes at most 50 times per second. Waking it for every line reduced the rate of reads
//! of small documents by a twelfth.

use std::io;
use std::io::Write;
use std::sync::Arc;
use std::sync::Condvar;
use std::sync::Mutex;
use std::sync::MutexGuard;
use std::sync::PoisonError;
use std::thread;
use std::thread::JoinHandle;
use std::time::Duration;

use tracing_subscriber::fmt::MakeWriter;

/// Time for which the thread collects lines before it writes them.
const COLLECT_TIME: Duration = Duration::from_millis(20);

/// Maximum size of the queue in bytes. While it is full, lines are dropped and counted.
const MAX_QUEUED_BYTES: usize = 8 << 20;

/// Lines that are not written yet.
#[derive(Default)]
struct Queue {
    text: Vec<u8>,
    /// Number of lines dropped since the last write.
    dropped: u64,
    /// Whether the thread must write the rest and end.
    is_closed: bool,
}

/// State that the producers and the thread share.
#[derive(Default)]
struct Shared {
    queue: Mutex<Queue>,
    /// Notified when the queue is no longer empty and when it is closed.
    changed: Condvar,
}

impl Shared {
    /// Locks the queue, also after a panic of another thread.
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A handle that adds lines to the queue. It never blocks on the output and never fails: while the
/// queue is full, it drops and counts lines.
#[derive(Clone)]
pub struct LineQueue(Arc<Shared>);

impl Write for LineQueue {
    /// Appends the whole line to the queue, or drops and counts it if the queue would exceed
    /// `MAX_QUEUED_BYTES`. Returns the length of the line in both cases.
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let mut queue = self.0.lock();
        if queue.text.len() + line.len() > MAX_QUEUED_BYTES {
            queue.dropped += 1;
            return Ok(line.len());
        }
        let was_empty = queue.text.is_empty();
        queue.text.extend_from_slice(line);
        drop(queue);
        if was_empty {
            self.0.changed.notify_one();
        }
        Ok(line.len())
    }

    /// Does nothing: the thread writes the lines later.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for LineQueue {
    type Writer = Self;

    /// Returns another handle of the same queue.
    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

/// The thread that writes the lines. Dropping it writes all queued lines first and waits for that
/// without a time limit.
pub struct WriterThread {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for WriterThread {
    /// Closes the queue and waits until the thread has written the queued lines and ended.
    fn drop(&mut self) {
        self.shared.lock().is_closed = true;
        self.shared.changed.notify_one();
        if let Some(thread) = self.thread.take() {
            // A panic of the log thread cannot be logged.
            drop(thread.join());
        }
    }
}

/// Starts a thread that writes to `output`, and returns its queue and a handle of the thread. The
/// caller must keep the handle: dropping it writes the queued lines, waits for that and ends the
/// thread. Later lines are never written.
///
/// # Errors
/// The thread cannot be started.
pub fn start(output: impl Write + Send + 'static) -> io::Result<(LineQueue, WriterThread)> {
    let shared = Arc::new(Shared::default());
    let source = shared.clone();
    let work = move || write_lines(&source, output);
    let thread = thread::Builder::new().name("log".to_owned()).spawn(work)?;
    Ok((LineQueue(shared.clone()), WriterThread { shared, thread: Some(thread) }))
}

/// Writes queued lines to `output`. Returns after writing the rest when the queue is closed.
///
/// Collects lines for [`COLLECT_TIME`] before each write. Ignores errors of `output`. If lines were
/// dropped, writes a line with their number.
fn write_lines(shared: &Shared, mut output: impl Write) {
    // The two buffers are swapped, so that no write allocates memory.
    let mut text = Vec::new();
    loop {
        let queue = shared.lock();
        let queue = shared
            .changed
            .wait_while(queue, |queue| queue.text.is_empty() && !queue.is_closed)
            .unwrap_or_else(PoisonError::into_inner);
        let is_closed = queue.is_closed;
        drop(queue);
        if !is_closed {
            thread::sleep(COLLECT_TIME);
        }
        let mut queue = shared.lock();
        std::mem::swap(&mut queue.text, &mut text);
        let dropped = std::mem::take(&mut queue.dropped);
        drop(queue);
        // If the output fails, there is no place to report the error.
        let _ = output.write_all(&text);
        if dropped > 0 {
            let _ =
                writeln!(output, "{dropped} log lines were dropped because the output is too slow");
        }
        let _ = output.flush();
        text.clear();
        if is_closed {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Default)]
    struct Sink(Arc<Mutex<Vec<u8>>>);

    impl Write for Sink {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn dropping_the_thread_writes_all_lines_in_order() {
        let sink = Sink::default();
        let (queue, writer) = start(sink.clone()).unwrap();
        let threads: Vec<_> = (0..4)
            .map(|name| {
                let mut queue = queue.clone();
                thread::spawn(move || {
                    for number in 0..500 {
                        queue.write_all(format!("{name} {number}\n").as_bytes()).unwrap();
                    }
                })
            })
            .collect();
        for thread in threads {
            thread.join().unwrap();
        }
        drop(writer);
        let text = String::from_utf8(sink.0.lock().unwrap().clone()).unwrap();
        assert_eq!(text.lines().count(), 2000);
        for name in 0..4 {
            let prefix = format!("{name} ");
            let own: Vec<usize> =
                text.lines().filter_map(|line| line.strip_prefix(&prefix)?.parse().ok()).collect();
            assert_eq!(own, (0..500).collect::<Vec<_>>());
        }
    }
}
