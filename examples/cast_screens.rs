//! Many screens on a running server: what each costs in memory, what all cost at rest, and how long it
//! takes until all have been told of an edit and have its picture.
//!
//! `chartroom serve --demo` prints an address and an API token; then
//! `cargo run --release --example cast_screens -- --address 127.0.0.1:8080 --token TOKEN --pid PID`
//! with the process id of the server. Each screen has a session of its own.

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

/// Ticks of the processor's clock a second in `/proc/PID/stat`, on Linux always.
const TICKS: f64 = 100.0;
/// Requests that the screens' maker has under way at once.
const AT_ONCE: usize = 32;
/// Query of a television's request for the image.
const SCREEN: &str = "width=1728&height=972&density=1";

#[derive(Parser)]
struct Options {
    /// Where the server listens.
    #[arg(long, default_value = "127.0.0.1:8080")]
    address: SocketAddr,
    /// An API token of somebody who may make documents.
    #[arg(long)]
    token: String,
    /// The server's process id.
    #[arg(long)]
    pid: u32,
    /// How many screens.
    #[arg(long, default_value_t = 1000)]
    screens: usize,
    /// How many edits, one after the other.
    #[arg(long, default_value_t = 3)]
    edits: u32,
    /// Seconds at rest over which the processor's time is counted.
    #[arg(long, default_value_t = 10)]
    rest: u64,
}

/// A report of a screen.
enum Sign {
    Open,
    Told(Instant),
    Fetched(Instant, usize),
}

fn main() -> Result<()> {
    let mut files = rustix::process::getrlimit(Resource::Nofile);
    files.current = files.maximum;
    rustix::process::setrlimit(Resource::Nofile, files)?;
    let options = Arc::new(Options::parse());
    tokio::runtime::Builder::new_multi_thread().enable_all().build()?.block_on(run(options))
}

async fn run(options: Arc<Options>) -> Result<()> {
    let made = api(&options, "POST", "/create-document", &json!({ "widget": "bar" })).await?;
    let document = made["id"].as_str().ok_or("no document was made")?.to_owned();
    let casts = sessions(&options, &document).await?;
    // What is drawn once is drawn before the memory is counted.
    fetch(&options, &casts[0]).await?;
    let before = memory(options.pid)?;

    let (signs, mut coming) = mpsc::unbounded_channel();
    for cast in casts {
        let (options, signs) = (options.clone(), signs.clone());
        tokio::spawn(async move {
            if let Err(error) = screen(&options, &cast, &signs).await {
                eprintln!("a screen ended: {error}");
            }
        });
    }
    for _ in 0..options.screens {
        coming.recv().await.ok_or("all screens ended")?;
    }
    sleep(Duration::from_secs(3)).await;
    let after = memory(options.pid)?;
    let each = (after.saturating_sub(before)) as f64 / options.screens as f64;
    println!(
        "memory: {before} KiB without, {after} KiB with {} screens: {each:.1} KiB each",
        options.screens
    );

    let ticks = processor(options.pid)?;
    sleep(Duration::from_secs(options.rest)).await;
    let used = (processor(options.pid)? - ticks) / TICKS / options.rest as f64 * 100.0;
    println!("at rest: {used:.2} % of a core over {} s", options.rest);

    for number in 1..=options.edits {
        edit(&options, &document, number, &mut coming).await?;
        sleep(Duration::from_secs(2)).await;
    }
    Ok(())
}

/// Changes the document and waits until all screens have its picture.
async fn edit(
    options: &Options,
    document: &str,
    number: u32,
    coming: &mut mpsc::UnboundedReceiver<Sign>,
) -> Result<()> {
    let since = Instant::now();
    let path = format!("/users/me/documents/{document}");
    api(options, "PATCH", &path, &json!({ "title": format!("Edit {number}") })).await?;
    let (mut told, mut fetched, mut bytes) = (Vec::new(), Vec::new(), 0);
    while fetched.len() < options.screens {
        match coming.recv().await.ok_or("all screens ended")? {
            Sign::Open => {}
            Sign::Told(at) => told.push(at - since),
            Sign::Fetched(at, length) => {
                fetched.push(at - since);
                bytes = length;
            }
        }
    }
    println!("edit {number}: told {}, fetched ({bytes} bytes) {}", spread(told), spread(fetched));
    Ok(())
}

fn spread(mut times: Vec<Duration>) -> String {
    times.sort();
    let at = |part: usize| times[(times.len() - 1) * part / 100].as_secs_f64() * 1000.0;
    format!("median {:.0} ms, p99 {:.0} ms, last {:.0} ms", at(50), at(99), at(100))
}

/// A session for each screen: their tokens.
async fn sessions(options: &Arc<Options>, document: &str) -> Result<Vec<String>> {
    let (turns, mut tasks) = (Arc::new(Semaphore::new(AT_ONCE)), JoinSet::new());
    for number in 0..options.screens {
        let (options, turns) = (options.clone(), turns.clone());
        let body = json!({ "document_id": document, "device_name": format!("Screen {number}") });
        tasks.spawn(async move {
            let _turn = turns.acquire().await?;
            let made = api(&options, "POST", "/cast/sessions", &body).await?;
            Ok::<_, Box<dyn Error + Send + Sync>>(
                made["token"].as_str().unwrap_or_default().to_owned(),
            )
        });
    }
    tasks.join_all().await.into_iter().collect()
}

/// A screen: it listens, and fetches the picture whenever it is told of a change.
async fn screen(options: &Options, token: &str, signs: &UnboundedSender<Sign>) -> Result<()> {
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
            "event: hello" => signs.send(Sign::Open)?,
            "event: updated" => {
                signs.send(Sign::Told(Instant::now()))?;
                let length = fetch(options, token).await?;
                signs.send(Sign::Fetched(Instant::now(), length))?;
            }
            _ => {}
        }
    }
}

/// The bytes of a screen's picture.
async fn fetch(options: &Options, token: &str) -> Result<usize> {
    let path = format!("/api/v1/cast/{token}/document.svg?{SCREEN}");
    Ok(ask(options, "GET", &path, "").await?.len())
}

async fn api(options: &Options, method: &str, path: &str, body: &Value) -> Result<Value> {
    let answer = ask(options, method, &format!("/api/v1{path}"), &body.to_string()).await?;
    Ok(if answer.is_empty() { Value::Null } else { serde_json::from_slice(&answer)? })
}

/// One request over a connection of its own; the body of its answer.
async fn ask(options: &Options, method: &str, path: &str, body: &str) -> Result<Vec<u8>> {
    let mut stream = TcpStream::connect(options.address).await?;
    let request = format!(
        "{method} {path} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nConnection: close\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        options.address,
        options.token,
        body.len()
    );
    stream.write_all(request.as_bytes()).await?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await?;
    let end = answer.windows(4).position(|it| it == b"\r\n\r\n").ok_or("no answer")?;
    let status = answer.get(9..12).unwrap_or_default().to_owned();
    let body = answer.split_off(end + 4);
    match status.first() {
        Some(b'2') => Ok(body),
        _ => Err(format!("{method} {path}: {}", String::from_utf8_lossy(&body)).into()),
    }
}

/// Resident memory of a process in KiB.
fn memory(pid: u32) -> Result<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status"))?;
    let line = status.lines().find_map(|it| it.strip_prefix("VmRSS:")).ok_or("no VmRSS")?;
    Ok(line.trim().trim_end_matches(" kB").parse()?)
}

/// Ticks of the processor that a process has used.
fn processor(pid: u32) -> Result<f64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat"))?;
    // Behind the name, which may hold anything, come the third field and those after it.
    let fields: Vec<&str> =
        stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let field = |number: usize| fields.get(number).unwrap_or(&"0").parse::<f64>();
    Ok(field(11)? + field(12)?)
}
