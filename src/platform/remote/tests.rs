//! Tests of requests to real servers on this machine: helpers for the modules below.

mod address_tests;
mod limit_tests;
mod redirect_tests;

use std::io::ErrorKind;
use std::io::Read;
use std::io::Write;
use std::net::Ipv4Addr;
use std::net::SocketAddr;
use std::net::TcpListener;
use std::net::TcpStream;
use std::net::UdpSocket;
use std::sync::Arc;
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use super::*;

/// Deadline of requests that are expected to succeed.
const PATIENCE: Duration = Duration::from_secs(20);

/// A response with a short body.
const HELLO: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/csv\r\nContent-Length: 5\r\n\r\nhello";

/// An HTTP server on this machine that records the requests.
struct TestServer {
    address: SocketAddr,
    requests: Arc<Mutex<Vec<String>>>,
}

impl TestServer {
    /// Starts a server that passes each request and its connection to `respond` in a thread.
    fn start(respond: impl Fn(&str, &mut TcpStream) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let requests = Arc::<Mutex<Vec<String>>>::default();
        let (recorded, respond) = (requests.clone(), Arc::new(respond));
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (mut stream, recorded) = (stream.unwrap(), recorded.clone());
                let respond = respond.clone();
                thread::spawn(move || {
                    let request = read_request(&mut stream);
                    recorded.lock().unwrap().push(request.clone());
                    respond(&request, &mut stream);
                });
            }
        });
        Self { address, requests }
    }

    /// Starts a server that sends the same bytes in response to each request.
    fn with_response(response: impl Into<Vec<u8>>) -> Self {
        let response = response.into();
        Self::start(move |_, stream| drop(stream.write_all(&response)))
    }

    /// Starts a server that redirects the path `/` with this status to `location`, and sends a short
    /// body for other paths.
    fn with_redirect(status: u16, location: &str) -> Self {
        let redirect = redirect(status, location);
        Self::start(move |request, stream| {
            let is_root = request.split(' ').nth(1) == Some("/");
            let response = if is_root { redirect.as_str() } else { HELLO };
            let _ = stream.write_all(response.as_bytes());
        })
    }

    /// Returns the URL of a path on the server.
    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Returns the requests so far.
    fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

/// Reads one request with its body.
fn read_request(stream: &mut TcpStream) -> String {
    let (mut bytes, mut buffer) = (Vec::new(), [0; 4096]);
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| {
                line.to_ascii_lowercase().strip_prefix("content-length: ")?.parse().ok()
            });
            if body.len() >= length.unwrap_or(0) {
                return text;
            }
        }
        match stream.read(&mut buffer) {
            Ok(count) if count > 0 => bytes.extend_from_slice(&buffer[..count]),
            _ => return text,
        }
    }
}

/// Returns a redirect.
fn redirect(status: u16, location: &str) -> String {
    format!("HTTP/1.1 {status} Moved\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n")
}

/// A listener that no request may reach.
struct ForbiddenServer(TcpListener);

impl ForbiddenServer {
    /// Starts a listener at a free port of this address.
    fn start(ip: &str) -> Self {
        Self(TcpListener::bind((ip, 0)).unwrap())
    }

    /// Returns the port of the listener.
    fn port(&self) -> u16 {
        self.0.local_addr().unwrap().port()
    }

    /// Returns the number of connections that clients have opened. The kernel queues them, so that none
    /// is missed.
    fn count_connections(&self) -> usize {
        self.0.set_nonblocking(true).unwrap();
        let accepted = std::iter::from_fn(|| match self.0.accept() {
            Ok(connection) => Some(connection),
            Err(error) if error.kind() == ErrorKind::WouldBlock => None,
            Err(error) => panic!("{error}"),
        });
        accepted.count()
    }
}

/// Starts a name server with an IPv4 address for each query, in turn. Returns its address.
fn start_name_server(answers: &'static [&[[u8; 4]]]) -> SocketAddr {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let address = socket.local_addr().unwrap();
    thread::spawn(move || {
        let (mut buffer, mut turns) = ([0; 1024], answers.iter().cycle());
        while let Ok((_, client)) = socket.recv_from(&mut buffer) {
            // The name of the question ends with an empty label. Its type and class follow.
            let name_end = 12 + buffer[12..].iter().position(|byte| *byte == 0).unwrap();
            let is_ipv4 = buffer[name_end + 2] == 1;
            let ips: &[[u8; 4]] = if is_ipv4 { turns.next().unwrap() } else { &[] };
            let mut response = buffer[..2].to_vec();
            response.extend([0x81, 0x80, 0, 1, 0, u8::try_from(ips.len()).unwrap(), 0, 0, 0, 0]);
            response.extend(&buffer[12..name_end + 5]);
            for ip in ips {
                // Pointer to the name, type A, class IN, lifetime 0, length 4.
                response.extend([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4]);
                response.extend(ip);
            }
            socket.send_to(&response, client).unwrap();
        }
    });
    address
}

/// Returns rules that allow 127.0.0.1 in addition to the public internet, and no other address of this
/// machine.
fn only_localhost() -> NetworkRules {
    let networks = vec![ipnet::IpNet::from(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST))];
    NetworkRules { networks, ..NetworkRules::default() }
}

/// Returns a client that uses these name servers.
fn build_client(rules: NetworkRules, name_servers: Vec<SocketAddr>) -> RemoteClient {
    let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
    let options = ClientOptions {
        scope: NetworkScope::Restricted(rules),
        timeout: PATIENCE,
        verify_certificates: true,
    };
    RemoteClient::new(DnsResolver::new(name_servers).unwrap(), &options).unwrap()
}

/// Sends a request with a client that may reach 127.0.0.1.
fn send(request: &RemoteRequest<'_>) -> Result<RemoteResponse, RemoteFailure> {
    build_client(only_localhost(), Vec::new()).send(request, Deadline::after(PATIENCE))
}

/// Requests a URL with a client that may reach 127.0.0.1.
fn get(url: &str, max_bytes: u64) -> Result<RemoteResponse, RemoteFailure> {
    send(&RemoteRequest::get(url, max_bytes))
}
