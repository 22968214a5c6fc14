//! HTTP client of a [`ServerProcess`](crate::server_process::ServerProcess), and its responses.

use std::fmt;

use serde_json::Value;

use crate::server_process::ServerProcess;
use crate::server_process::TestUser;
use crate::server_process::USER_NAMES;
use crate::server_process::test_users;

/// A caller that sends requests.
#[derive(Clone)]
pub struct Client<'a> {
    server: &'a ServerProcess,
    /// Account id of the caller. Empty for a guest.
    pub id: String,
    headers: Vec<(String, String)>,
}

impl<'a> Client<'a> {
    /// Creates a client with the API token of a user.
    pub fn for_user(server: &'a ServerProcess, user: &TestUser) -> Self {
        Self { server, id: user.id.clone(), headers: Vec::new() }
            .with_header("authorization", &format!("Bearer {}", user.token))
    }

    /// Creates a client without credentials.
    pub fn guest(server: &'a ServerProcess) -> Self {
        Self { server, id: String::new(), headers: Vec::new() }
    }

    /// Returns a copy of the client that sends one more header with each request.
    pub fn with_header(&self, name: &str, value: &str) -> Self {
        let mut headers = self.headers.clone();
        headers.push((name.to_owned(), value.to_owned()));
        Self { headers, ..self.clone() }
    }

    /// Sends a GET request.
    pub fn get(&self, path: &str) -> Response {
        self.send("GET", path, None)
    }

    /// Sends a DELETE request.
    pub fn delete(&self, path: &str) -> Response {
        self.send("DELETE", path, None)
    }

    /// Sends a POST request with a JSON body.
    pub fn post(&self, path: &str, body: impl Into<Value>) -> Response {
        self.send_json("POST", path, &body.into())
    }

    /// Sends a PUT request with a JSON body.
    pub fn put(&self, path: &str, body: impl Into<Value>) -> Response {
        self.send_json("PUT", path, &body.into())
    }

    /// Sends a PATCH request with a JSON body.
    pub fn patch(&self, path: &str, body: impl Into<Value>) -> Response {
        self.send_json("PATCH", path, &body.into())
    }

    /// Sends a request with any method and a JSON body.
    pub fn send_with_body(&self, method: &str, path: &str, body: impl Into<Value>) -> Response {
        self.send_json(method, path, &body.into())
    }

    /// Sends a request with a JSON body and a matching `Content-Type`.
    fn send_json(&self, method: &str, path: &str, body: &Value) -> Response {
        let client = self.with_header("content-type", "application/json");
        client.send(method, path, Some(&body.to_string()))
    }

    /// Sends a request with any method and an optional body. `path` starts with a slash.
    pub fn send(&self, method: &str, path: &str, body: Option<&str>) -> Response {
        self.send_bytes(method, path, body.map(str::as_bytes))
    }

    /// Sends a request like [`Client::send`] with a body that need not be text.
    pub fn send_bytes(&self, method: &str, path: &str, body: Option<&[u8]>) -> Response {
        let uri = format!("{}{path}", self.server.base_url);
        let mut request = hyper::Request::builder().method(method).uri(uri);
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        let agent = &self.server.agent;
        let result = match body {
            Some(body) => agent.run(request.body(body.to_owned()).unwrap()),
            None => agent.run(request.body(()).unwrap()),
        };
        let mut response = result.unwrap_or_else(|error| panic!("{method} {path}: {error}"));
        let body = response.body_mut().with_config().limit(64 << 20).read_to_vec().unwrap();
        let mut redactions = vec![(self.server.base_url.clone(), "[base]".to_owned())];
        for (person, name) in test_users().iter().zip(USER_NAMES) {
            redactions.push((person.id.clone(), format!("[{}]", name.to_lowercase())));
        }
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        Response { status, headers, body, redactions }
    }
}

/// A response. Formats as status and body, without the parts that differ from run to run.
pub struct Response {
    /// Status code.
    pub status: u16,
    /// Header fields.
    pub headers: hyper::HeaderMap,
    /// Body.
    pub body: Vec<u8>,
    /// Texts that differ from run to run, and their replacements in formatted output.
    redactions: Vec<(String, String)>,
}

impl Response {
    /// Returns the body as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// Parses the body as JSON. Panics if it is not JSON.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("not JSON: {}", self.text()))
    }

    /// Returns the value of a header, or an empty text if it is absent.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    /// Returns the response if its status is `status`. Panics otherwise.
    #[track_caller]
    pub fn expect(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{self}");
        self
    }
}

impl fmt::Display for Response {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = self.text();
        for (value, name) in &self.redactions {
            text = text.replace(value, name);
        }
        let text = redact_volatile_parts(&text);
        let space = if text.is_empty() { "" } else { " " };
        write!(f, "{}{space}{text}", self.status)
    }
}

impl fmt::Debug for Response {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Replaces points in time by `[time]` and UUIDs by `[uuid]`.
pub fn redact_volatile_parts(text: &str) -> String {
    // In a pattern, `d` matches a decimal digit and `x` a hexadecimal digit.
    let patterns = [
        ("dddd-dd-ddTdd:dd:dd.dddZ", "[time]"),
        ("dddd-dd-ddTdd:dd:ddZ", "[time]"),
        ("xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx", "[uuid]"),
    ];
    let matches_pattern = |text: &str, pattern: &str| {
        text.len() >= pattern.len()
            && text.bytes().zip(pattern.bytes()).all(|(byte, expected)| match expected {
                b'd' => byte.is_ascii_digit(),
                b'x' => byte.is_ascii_hexdigit(),
                expected => byte == expected,
            })
    };
    let (mut redacted, mut rest) = (String::new(), text);
    while let Some(first) = rest.chars().next() {
        let length = match patterns.iter().find(|(pattern, _)| matches_pattern(rest, pattern)) {
            Some((pattern, name)) => {
                redacted.push_str(name);
                pattern.len()
            }
            None => {
                redacted.push(first);
                first.len_utf8()
            }
        };
        rest = &rest[length..];
    }
    redacted
}

#[test]
fn times_and_uuids_are_redacted() {
    let text = "a 2026-11-21T13:59:59.123Z b 0197aa00-1234-7abc-8def-0123456789ab c 12-34";
    assert_eq!(redact_volatile_parts(text), "a [time] b [uuid] c 12-34");
}
