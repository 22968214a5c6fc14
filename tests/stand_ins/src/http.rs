//! A small HTTP/1.1 server. It closes the connection after each response.

use std::io;
use std::io::BufRead;
use std::io::BufReader;
use std::io::Read;
use std::io::Write;
use std::net::Shutdown;
use std::net::TcpListener;
use std::net::TcpStream;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use percent_encoding::percent_decode_str;
use serde_json::Value;

/// A request.
#[derive(Debug, Clone)]
pub struct Request {
    pub method: String,
    /// Path without query, percent-encoded as it was sent.
    pub path: String,
    /// Names and values of the query, decoded.
    pub query: Vec<(String, String)>,
    /// Names in lower case and values of the headers.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Request {
    /// Returns the value of the first header with this name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Returns the value of the first parameter of the query with this name.
    pub fn parameter(&self, name: &str) -> Option<&str> {
        self.query.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Returns the segments of the path, decoded.
    pub fn segments(&self) -> Vec<String> {
        let decode = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
        self.path.split('/').skip(1).map(decode).collect()
    }

    /// Returns the body as a form.
    pub fn form(&self) -> Vec<(String, String)> {
        form_urlencoded::parse(&self.body).into_owned().collect()
    }

    /// Returns the body as JSON. `Null` for another body.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or(Value::Null)
    }

    /// Returns the token of the header `Authorization: Bearer`.
    pub fn bearer(&self) -> Option<&str> {
        let value = self.header("authorization")?;
        value.strip_prefix("Bearer ").or_else(|| value.strip_prefix("bearer "))
    }
}

/// A response.
#[derive(Debug, Clone)]
pub struct Response {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    /// Time before the response.
    pub delay: Duration,
    /// Whether to end the connection after half of the body.
    pub is_truncated: bool,
}

impl Response {
    /// Returns a response without body.
    pub fn empty(status: u16) -> Self {
        let (headers, body) = (Vec::new(), Vec::new());
        Self { status, headers, body, delay: Duration::ZERO, is_truncated: false }
    }

    /// Returns a response in JSON.
    pub fn json(status: u16, body: &Value) -> Self {
        let body = body.to_string().into_bytes();
        Self { body, ..Self::empty(status) }.with("Content-Type", "application/json")
    }

    /// Returns a response with a text.
    pub fn text(status: u16, text: &str) -> Self {
        let body = text.as_bytes().to_vec();
        Self { body, ..Self::empty(status) }.with("Content-Type", "text/plain; charset=utf-8")
    }

    /// Returns a response with the content of a file.
    pub fn file(bytes: Vec<u8>) -> Self {
        Self { body: bytes, ..Self::empty(200) }.with("Content-Type", "application/octet-stream")
    }

    /// Returns a redirect.
    pub fn redirect(location: &str) -> Self {
        Self::empty(302).with("Location", location)
    }

    /// Adds a header.
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }
}

/// A running server. It runs until the process ends.
#[derive(Debug, Clone)]
pub struct Server {
    /// Scheme, host and port.
    pub url: String,
}

impl Server {
    /// Starts a server on a free port of the loopback address.
    ///
    /// # Errors
    /// If no port is free.
    pub fn start(
        handler: impl Fn(&Request) -> Response + Send + Sync + 'static,
    ) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let url = format!("http://{}", listener.local_addr()?);
        let handler = Arc::new(handler);
        thread::spawn(move || {
            for connection in listener.incoming().flatten() {
                let handler = handler.clone();
                // An error is that of a client that closed the connection.
                thread::spawn(move || drop(serve(connection, &*handler)));
            }
        });
        Ok(Self { url })
    }
}

/// Reads a request and writes the response.
fn serve(
    connection: TcpStream,
    handler: &(dyn Fn(&Request) -> Response + Send + Sync),
) -> io::Result<()> {
    connection.set_read_timeout(Some(Duration::from_secs(60)))?;
    let mut writer = connection.try_clone()?;
    let mut reader = BufReader::new(connection);
    let request = read_request(&mut reader, &mut writer)?;
    let response = handler(&request);
    thread::sleep(response.delay);
    let mut head = format!("HTTP/1.1 {} Status\r\nConnection: close\r\n", response.status);
    for (name, value) in &response.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    if response.status != 204 && response.status != 304 {
        head.push_str(&format!("Content-Length: {}\r\n", response.body.len()));
    }
    head.push_str("\r\n");
    writer.write_all(head.as_bytes())?;
    let length = match response.is_truncated {
        true => response.body.len() / 2,
        false => response.body.len(),
    };
    if request.method != "HEAD" {
        writer.write_all(&response.body[..length])?;
    }
    writer.shutdown(Shutdown::Write)
}

/// Reads a request with its body.
fn read_request(reader: &mut impl BufRead, writer: &mut impl Write) -> io::Result<Request> {
    let invalid = || io::Error::from(io::ErrorKind::InvalidData);
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let mut words = line.split_whitespace();
    let method = words.next().ok_or_else(invalid)?.to_owned();
    let target = words.next().ok_or_else(invalid)?.to_owned();
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        let (name, value) = line.split_once(':').ok_or_else(invalid)?;
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let (path, query) = target.split_once('?').unwrap_or((&target, ""));
    let query = form_urlencoded::parse(query.as_bytes()).into_owned().collect();
    let mut request = Request { method, path: path.to_owned(), query, headers, body: Vec::new() };
    if request.header("expect").is_some() {
        writer.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
    }
    if request.header("transfer-encoding").is_some() {
        request.body = read_chunks(reader)?;
    } else if let Some(length) = request.header("content-length") {
        let length: u64 = length.parse().map_err(|_| invalid())?;
        reader.take(length).read_to_end(&mut request.body)?;
    }
    Ok(request)
}

/// Reads a body in chunks.
fn read_chunks(reader: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let digits = line.split(';').next().unwrap_or_default().trim();
        let length = u64::from_str_radix(digits, 16)
            .map_err(|_| io::Error::from(io::ErrorKind::InvalidData))?;
        reader.by_ref().take(length).read_to_end(&mut body)?;
        let mut end = String::new();
        reader.read_line(&mut end)?;
        if length == 0 {
            return Ok(body);
        }
    }
}

/// Returns bytes as hexadecimal digits.
pub(crate) fn to_hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
