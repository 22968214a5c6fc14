//! A DNS server in the process of the test, with a scripted answer for each name.
//!
//! It answers over UDP and TCP at the same port. A response that is too large for UDP is truncated,
//! as RFC 1035 requires, so that clients repeat the query over TCP.

use std::collections::HashMap;
use std::io::Read;
use std::io::Write;
use std::net::SocketAddr;
use std::net::TcpListener;
use std::net::TcpStream;
use std::net::UdpSocket;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering;
use std::thread;
use std::thread::JoinHandle;

/// Maximum size of a response over UDP in bytes.
const MAX_UDP_BYTES: usize = 512;

/// Response codes (RFC 1035).
const SERVFAIL: u8 = 2;
const NXDOMAIN: u8 = 3;
const REFUSED: u8 = 5;

/// Record types (RFC 1035).
const NS: u16 = 2;
const CNAME: u16 = 5;
const TXT: u16 = 16;

/// The answer for a name.
#[derive(Clone)]
pub enum Answer {
    /// TXT records, each a list of strings of at most 255 bytes.
    Records(Vec<Vec<String>>),
    /// An alias. The response contains no records of the target.
    Alias(String),
    /// The name exists, but has no TXT record.
    NoRecords,
    /// The server failed.
    ServerFailure,
    /// The server refuses the query.
    Refused,
    /// The server does not know the name and refers to another server.
    Referral,
    /// The server does not respond.
    Silence,
    /// Runs a function before the response.
    After(Arc<dyn Fn() + Send + Sync>, Box<Answer>),
}

impl Answer {
    /// Returns an answer with TXT records of one string each.
    pub fn texts(texts: &[&str]) -> Self {
        Self::Records(texts.iter().map(|text| vec![(*text).to_owned()]).collect())
    }
}

/// State that the threads of a server share.
#[derive(Default)]
struct ServerState {
    /// Answers by name in lower case, without the dot at the end. Other names do not exist.
    answers: Mutex<HashMap<String, Answer>>,
    udp_queries: AtomicUsize,
    tcp_queries: AtomicUsize,
    is_stopped: AtomicBool,
}

/// A running server. Dropping it stops it.
pub struct NameServer {
    /// Address for the setting `dns`.
    pub address: SocketAddr,
    state: Arc<ServerState>,
    threads: Vec<JoinHandle<()>>,
}

impl NameServer {
    /// Starts a server that knows no name.
    pub fn start() -> Self {
        let (udp, tcp) = bind_to_one_port();
        let address = tcp.local_addr().unwrap();
        let state = Arc::new(ServerState::default());
        let (udp_state, tcp_state) = (state.clone(), state.clone());
        let threads = vec![
            thread::spawn(move || serve_udp(&udp, &udp_state)),
            thread::spawn(move || serve_tcp(&tcp, &tcp_state)),
        ];
        Self { address, state, threads }
    }

    /// Sets the answer for a name.
    pub fn set(&self, name: &str, answer: Answer) {
        self.state.answers.lock().unwrap().insert(name.to_owned(), answer);
    }

    /// Returns the number of queries over UDP and over TCP so far.
    pub fn query_counts(&self) -> (usize, usize) {
        let load = |count: &AtomicUsize| count.load(Ordering::SeqCst);
        (load(&self.state.udp_queries), load(&self.state.tcp_queries))
    }
}

impl Drop for NameServer {
    fn drop(&mut self) {
        self.state.is_stopped.store(true, Ordering::SeqCst);
        // Wakes both threads.
        let _ = UdpSocket::bind("127.0.0.1:0").unwrap().send_to(&[], self.address);
        let _ = TcpStream::connect(self.address);
        for thread in self.threads.drain(..) {
            let result = thread.join();
            assert!(result.is_ok() || thread::panicking(), "the name server panicked");
        }
    }
}

/// Binds a UDP and a TCP socket to the same free port.
fn bind_to_one_port() -> (UdpSocket, TcpListener) {
    loop {
        let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
        if let Ok(udp) = UdpSocket::bind(tcp.local_addr().unwrap()) {
            return (udp, tcp);
        }
    }
}

/// Answers queries over UDP until the server is stopped.
fn serve_udp(socket: &UdpSocket, state: &ServerState) {
    let mut buffer = [0; 4096];
    loop {
        let (length, client) = socket.recv_from(&mut buffer).unwrap();
        if state.is_stopped.load(Ordering::SeqCst) {
            return;
        }
        state.udp_queries.fetch_add(1, Ordering::SeqCst);
        let Some(mut response) = respond(&buffer[..length], state) else { continue };
        if response.len() > MAX_UDP_BYTES {
            let question_end = find_question_end(&response);
            response.truncate(question_end);
            // The bit TC, and no answers.
            response[2] |= 2;
            response[6..12].fill(0);
        }
        socket.send_to(&response, client).unwrap();
    }
}

/// Answers one query per TCP connection until the server is stopped.
fn serve_tcp(listener: &TcpListener, state: &ServerState) {
    loop {
        let (mut stream, _) = listener.accept().unwrap();
        if state.is_stopped.load(Ordering::SeqCst) {
            return;
        }
        let mut length = [0; 2];
        if stream.read_exact(&mut length).is_err() {
            continue;
        }
        let mut query = vec![0; usize::from(u16::from_be_bytes(length))];
        stream.read_exact(&mut query).unwrap();
        state.tcp_queries.fetch_add(1, Ordering::SeqCst);
        let Some(response) = respond(&query, state) else { continue };
        let length = u16::try_from(response.len()).unwrap().to_be_bytes();
        stream.write_all(&[&length, response.as_slice()].concat()).unwrap();
    }
}

/// Returns the index after the question section of a message with one question.
fn find_question_end(message: &[u8]) -> usize {
    let mut index = 12;
    while message[index] != 0 {
        index += 1 + usize::from(message[index]);
    }
    // The empty label, type and class.
    index + 5
}

/// Returns the name in the question of a query, in lower case.
fn question_name(query: &[u8]) -> String {
    let (mut index, mut labels) = (12, Vec::new());
    while query[index] != 0 {
        let end = index + 1 + usize::from(query[index]);
        labels.push(String::from_utf8(query[index + 1..end].to_vec()).unwrap().to_lowercase());
        index = end;
    }
    labels.join(".")
}

/// Returns the response to a query, or None if the server does not respond.
fn respond(query: &[u8], state: &ServerState) -> Option<Vec<u8>> {
    let mut answer = state.answers.lock().unwrap().get(&question_name(query)).cloned();
    while let Some(Answer::After(run, next)) = answer {
        run();
        answer = Some(*next);
    }
    let (code, records, authorities) = match answer {
        None => (NXDOMAIN, Vec::new(), Vec::new()),
        Some(Answer::Records(records)) => (0, records.iter().map(encode_txt).collect(), Vec::new()),
        Some(Answer::Alias(target)) => {
            (0, vec![encode_record(CNAME, &encode_name(&target))], Vec::new())
        }
        Some(Answer::NoRecords) => (0, Vec::new(), Vec::new()),
        Some(Answer::ServerFailure) => (SERVFAIL, Vec::new(), Vec::new()),
        Some(Answer::Refused) => (REFUSED, Vec::new(), Vec::new()),
        Some(Answer::Referral) => {
            (0, Vec::new(), vec![encode_record(NS, &encode_name("ns.example.net"))])
        }
        Some(Answer::Silence | Answer::After(..)) => return None,
    };
    let mut response = query[..2].to_vec();
    // QR, RD, RA and the code.
    response.extend([0x81, 0x80 | code]);
    for count in [1, records.len(), authorities.len(), 0] {
        response.extend(u16::try_from(count).unwrap().to_be_bytes());
    }
    response.extend(&query[12..find_question_end(query)]);
    records.iter().chain(&authorities).for_each(|record| response.extend(record));
    Some(response)
}

/// Encodes a record of the name in the question, with a time to live of an hour.
fn encode_record(record_type: u16, data: &[u8]) -> Vec<u8> {
    // A pointer to the name in the question.
    let mut record = vec![0xc0, 12];
    record.extend(record_type.to_be_bytes());
    record.extend([0, 1, 0, 0, 14, 16]);
    record.extend(u16::try_from(data.len()).unwrap().to_be_bytes());
    record.extend(data);
    record
}

/// Encodes a TXT record.
fn encode_txt(strings: &Vec<String>) -> Vec<u8> {
    let mut data = Vec::new();
    for string in strings {
        data.push(u8::try_from(string.len()).unwrap());
        data.extend(string.as_bytes());
    }
    encode_record(TXT, &data)
}

/// Encodes a name without compression.
fn encode_name(name: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    for label in name.split('.') {
        bytes.push(u8::try_from(label.len()).unwrap());
        bytes.extend(label.as_bytes());
    }
    bytes.push(0);
    bytes
}
