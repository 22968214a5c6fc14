//! Where finished lines wait for the thread that writes them.
//!
//! The thread wakes at most fifty times a second, however many lines come: a wake for each line
//! cost a twelfth of the rate at which small documents are read.

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

/// How long the thread gathers lines before it writes them.
const GATHER: Duration = Duration::from_millis(20);

/// Most bytes that wait. What comes while the output takes nothing is dropped and counted.
const MOST: usize = 8 << 20;

#[derive(Default)]
struct Waiting {
    text: Vec<u8>,
    dropped: u64,
    ended: bool,
}

#[derive(Default)]
struct Shared {
    waiting: Mutex<Waiting>,
    came: Condvar,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Takes lines; each thread of the program has one.
#[derive(Clone)]
pub struct Lines(Arc<Shared>);

impl Write for Lines {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let mut waiting = self.0.lock();
        if waiting.text.len() + line.len() > MOST {
            waiting.dropped += 1;
            return Ok(line.len());
        }
        let first = waiting.text.is_empty();
        waiting.text.extend_from_slice(line);
        drop(waiting);
        if first {
            self.0.came.notify_one();
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Lines {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

/// The thread. When this is dropped, what waits is written first.
pub struct Writing {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for Writing {
    fn drop(&mut self) {
        self.shared.lock().ended = true;
        self.shared.came.notify_one();
        if let Some(thread) = self.thread.take() {
            // A panic of the log's own thread has nowhere to be told.
            drop(thread.join());
        }
    }
}

/// Starts the thread that writes to `output`.
///
/// # Errors
/// When a thread cannot be started.
pub fn start(output: impl Write + Send + 'static) -> io::Result<(Lines, Writing)> {
    let shared = Arc::new(Shared::default());
    let own = shared.clone();
    let thread = thread::Builder::new().name("log".to_owned()).spawn(move || run(&own, output))?;
    Ok((Lines(shared.clone()), Writing { shared, thread: Some(thread) }))
}

fn run(shared: &Shared, mut output: impl Write) {
    let mut text = Vec::new();
    loop {
        let waiting = shared.lock();
        let waiting = shared
            .came
            .wait_while(waiting, |it| it.text.is_empty() && !it.ended)
            .unwrap_or_else(PoisonError::into_inner);
        let ended = waiting.ended;
        drop(waiting);
        if !ended {
            thread::sleep(GATHER);
        }
        let mut waiting = shared.lock();
        std::mem::swap(&mut waiting.text, &mut text);
        let dropped = std::mem::take(&mut waiting.dropped);
        drop(waiting);
        // An output that is gone takes no complaint either.
        let _ = output.write_all(&text);
        if dropped > 0 {
            let _ = writeln!(output, "{dropped} lines of the log were dropped: the output is slow");
        }
        let _ = output.flush();
        text.clear();
        if ended {
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
    fn every_line_is_written_whole_and_in_order_before_the_end() {
        let sink = Sink::default();
        let (lines, writing) = start(sink.clone()).unwrap();
        let threads: Vec<_> = (0..4)
            .map(|name| {
                let mut lines = lines.clone();
                thread::spawn(move || {
                    for number in 0..500 {
                        lines.write_all(format!("{name} {number}\n").as_bytes()).unwrap();
                    }
                })
            })
            .collect();
        for thread in threads {
            thread.join().unwrap();
        }
        drop(writing);
        let text = String::from_utf8(sink.0.lock().unwrap().clone()).unwrap();
        assert_eq!(text.lines().count(), 2000);
        for name in 0..4 {
            let prefix = format!("{name} ");
            let own: Vec<usize> =
                text.lines().filter_map(|it| it.strip_prefix(&prefix)?.parse().ok()).collect();
            assert_eq!(own, (0..500).collect::<Vec<_>>());
        }
    }
}
