//! Opens many cast screens on a running server and measures the memory per screen, the processor
//! time of idle screens, and the time until all screens have received an edit and fetched its
//! image.
//!
//! Start `chartroom serve --demo`, which prints an address and an API token. Then run
//! `cargo run --release --example cast_screens -- --address 127.0.0.1:8080 --token TOKEN --pid PID`
//! with the process id of the server. Each screen has a separate session.

use std::error::Error;
use std::fs;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use std::time::Instant;

use clap::Parser;
use rustix::process::Resource;
use serde_json::Value;
use serde_json::json;
use tokio::io::AsyncBufReadExt;
use tokio::io::AsyncReadExt;
use tokio::io::AsyncWriteExt;
use tokio::io::BufReader;
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio::sync::mpsc;
use tokio::sync::mpsc::UnboundedSender;
use tokio::task::JoinSet;
use tokio::time::sleep;

type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

/// Clock ticks per second in `/proc/PID/stat`. Linux always uses this value.
const CLOCK_TICKS_PER_SECOND: f64 = 100.0;
/// Maximum number of concurrent requests that create sessions.
const MAX_CONCURRENT_REQUESTS: usize = 32;
/// Query of the image request of a television.
const SCREEN_QUERY: &str = "width=1728&height=972&density=1";

#[derive(Parser)]
struct Options {
    /// Address of the server.
    #[arg(long, default_value = "127.0.0.1:8080")]
    address: SocketAddr,
    /// API token of an account that may create documents.
    #[arg(long)]
    token: String,
    /// Process id of the server.
    #[arg(long)]
    pid: u32,
    /// Number of screens.
    #[arg(long, default_value_t = 1000)]
    screens: usize,
    /// Number of consecutive edits.
    #[arg(long, default_value_t = 3)]
    edits: u32,
    /// Seconds for which the processor time of idle screens is measured.
    #[arg(long, default_value_t = 10)]
    rest: u64,
}

/// An event that a screen reports.
enum ScreenEvent {
    /// The event stream is open.
    Connected,
    /// Time at which the screen received the event of an edit.
    Notified(Instant),
    /// Time at which the screen had the image, and the size of the image in bytes.
    Fetched(Instant, usize),
}

fn main() -> Result<()> {
    let mut files = rustix::process::getrlimit(Resource::Nofile);
    files.current = files.maximum;
    rustix::process::setrlimit(Resource::Nofile, files)?;
    let options = Arc::new(Options::parse());
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?
        .block_on(measure_screens(options))
}

/// Creates a document and its screens, and prints all measurements.
async fn measure_screens(options: Arc<Options>) -> Result<()> {
    let created =
        send_json(&options, "POST", "/create-document", &json!({ "widget": "bar" })).await?;
    let document = created["id"].as_str().ok_or("no document was made")?.to_owned();
    let tokens = create_sessions(&options, &document).await?;
    // The first rendering fills caches, so it comes before the first memory reading.
    fetch_image(&options, &tokens[0]).await?;
    let memory_before = read_memory_kib(options.pid)?;

    let (events, mut event_receiver) = mpsc::unbounded_channel();
    for token in tokens {
        let (options, events) = (options.clone(), events.clone());
        tokio::spawn(async move {
            if let Err(error) = run_screen(&options, &token, &events).await {
                eprintln!("a screen ended: {error}");
            }
        });
    }
    for _ in 0..options.screens {
        event_receiver.recv().await.ok_or("all screens ended")?;
    }
    sleep(Duration::from_secs(3)).await;
    let memory_after = read_memory_kib(options.pid)?;
    let memory_per_screen =
        (memory_after.saturating_sub(memory_before)) as f64 / options.screens as f64;
    println!(
        "memory: {memory_before} KiB without, {memory_after} KiB with {} screens: \
         {memory_per_screen:.1} KiB each",
        options.screens
    );

    let ticks_before = read_cpu_ticks(options.pid)?;
    sleep(Duration::from_secs(options.rest)).await;
    let cpu_percent = (read_cpu_ticks(options.pid)? - ticks_before)
        / CLOCK_TICKS_PER_SECOND
        / options.rest as f64
        * 100.0;
    println!("at rest: {cpu_percent:.2} % of a core over {} s", options.rest);

    for number in 1..=options.edits {
        measure_edit(&options, &document, number, &mut event_receiver).await?;
        sleep(Duration::from_secs(2)).await;
    }
    Ok(())
}

/// Renames the document, waits until all screens have the new image, and prints the latencies.
async fn measure_edit(
    options: &Options,
    document: &str,
    number: u32,
    event_receiver: &mut mpsc::UnboundedReceiver<ScreenEvent>,
) -> Result<()> {
    let started = Instant::now();
    let path = format!("/users/me/documents/{document}");
    send_json(options, "PATCH", &path, &json!({ "title": format!("Edit {number}") })).await?;
    let (mut notified, mut fetched, mut image_bytes) = (Vec::new(), Vec::new(), 0);
    while fetched.len() < options.screens {
        match event_receiver.recv().await.ok_or("all screens ended")? {
            ScreenEvent::Connected => {}
            ScreenEvent::Notified(time) => notified.push(time - started),
            ScreenEvent::Fetched(time, length) => {
                fetched.push(time - started);
                image_bytes = length;
            }
        }
    }
    println!(
        "edit {number}: told {}, fetched ({image_bytes} bytes) {}",
        format_latencies(notified),
        format_latencies(fetched)
    );
    Ok(())
}

/// Formats the median, the 99th percentile and the maximum of latencies in milliseconds.
fn format_latencies(mut latencies: Vec<Duration>) -> String {
    latencies.sort();
    let percentile_ms =
        |percent: usize| latencies[(latencies.len() - 1) * percent / 100].as_secs_f64() * 1000.0;
    format!(
        "median {:.0} ms, p99 {:.0} ms, last {:.0} ms",
        percentile_ms(50),
        percentile_ms(99),
        percentile_ms(100)
    )
}

/// Creates a cast session for each screen and returns the tokens.
async fn create_sessions(options: &Arc<Options>, document: &str) -> Result<Vec<String>> {
    let (permits, mut tasks) = (Arc::new(Semaphore::new(MAX_CONCURRENT_REQUESTS)), JoinSet::new());
    for number in 0..options.screens {
        let (options, permits) = (options.clone(), permits.clone());
        let body = json!({ "document_id": document, "device_name": format!("Screen {number}") });
        tasks.spawn(async move {
            let _permit = permits.acquire().await?;
            let created = send_json(&options, "POST", "/cast/sessions", &body).await?;
            Ok::<_, Box<dyn Error + Send + Sync>>(
                created["token"].as_str().unwrap_or_default().to_owned(),
            )
        });
    }
    tasks.join_all().await.into_iter().collect()
}

/// Listens to the event stream of a session and fetches the image after each change. Ends only with
/// an error.
async fn run_screen(
    options: &Options,
    token: &str,
    events: &UnboundedSender<ScreenEvent>,
) -> Result<()> {
    let stream = TcpStream::connect(options.address).await?;
    let mut stream = BufReader::with_capacity(1024, stream);
    let head =
        format!("GET /api/v1/cast/{token}/events HTTP/1.1\r\nHost: {}\r\n\r\n", options.address);
    stream.write_all(head.as_bytes()).await?;
    let mut line = String::new();
    loop {
        line.clear();
        if stream.read_line(&mut line).await? == 0 {
            return Err("the stream is closed".into());
        }
        match line.trim_end() {
            "event: hello" => events.send(ScreenEvent::Connected)?,
            "event: updated" => {
                events.send(ScreenEvent::Notified(Instant::now()))?;
                let length = fetch_image(options, token).await?;
                events.send(ScreenEvent::Fetched(Instant::now(), length))?;
            }
            _ => {}
        }
    }
}

/// Fetches the image of a screen and returns its size in bytes.
async fn fetch_image(options: &Options, token: &str) -> Result<usize> {
    let path = format!("/api/v1/cast/{token}/document.svg?{SCREEN_QUERY}");
    Ok(send_request(options, "GET", &path, "").await?.len())
}

/// Sends a JSON request to a path below `/api/v1` and returns the JSON body of the response.
/// Returns null for an empty body.
async fn send_json(options: &Options, method: &str, path: &str, body: &Value) -> Result<Value> {
    let response =
        send_request(options, method, &format!("/api/v1{path}"), &body.to_string()).await?;
    Ok(if response.is_empty() { Value::Null } else { serde_json::from_slice(&response)? })
}

/// Sends a request over a new connection and returns the body of the response.
///
/// # Errors
///
/// Fails if the status is not 2xx.
async fn send_request(options: &Options, method: &str, path: &str, body: &str) -> Result<Vec<u8>> {
    let mut stream = TcpStream::connect(options.address).await?;
    let request = format!(
        "{method} {path} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nConnection: close\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        options.address,
        options.token,
        body.len()
    );
    stream.write_all(request.as_bytes()).await?;
    let mut response = Vec::new();
    stream.read_to_end(&mut response).await?;
    let head_length =
        response.windows(4).position(|window| window == b"\r\n\r\n").ok_or("no response")?;
    let status = response.get(9..12).unwrap_or_default().to_owned();
    let body = response.split_off(head_length + 4);
    match status.first() {
        Some(b'2') => Ok(body),
        _ => Err(format!("{method} {path}: {}", String::from_utf8_lossy(&body)).into()),
    }
}

/// Returns the resident memory of a process in KiB.
fn read_memory_kib(pid: u32) -> Result<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).ok_or("no VmRSS")?;
    Ok(line.trim().trim_end_matches(" kB").parse()?)
}

/// Returns the processor time that a process has used, in clock ticks.
fn read_cpu_ticks(pid: u32) -> Result<f64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat"))?;
    // The name in parentheses may contain any character. The third field is the first one after it,
    // so index 11 is field 14 (utime) and index 12 is field 15 (stime).
    let fields: Vec<&str> =
        stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let field = |number: usize| fields.get(number).unwrap_or(&"0").parse::<f64>();
    Ok(field(11)? + field(12)?)
}
