//! HTTP client of a [`World`](crate::world::World), and its responses.

use std::fmt;

use serde_json::Value;

use crate::world::PEOPLE;
use crate::world::Person;
use crate::world::World;
use crate::world::people;

/// A caller that sends requests.
#[derive(Clone)]
pub struct Client<'a> {
    world: &'a World,
    /// Account id of the caller. Empty for a guest.
    pub id: String,
    headers: Vec<(String, String)>,
}

impl<'a> Client<'a> {
    /// Creates a client with an API token of a person.
    pub fn of(world: &'a World, person: &Person) -> Self {
        Self { world, id: person.id.clone(), headers: Vec::new() }
            .with("authorization", &format!("Bearer {}", person.token))
    }

    /// Creates a client without credentials.
    pub fn nobody(world: &'a World) -> Self {
        Self { world, id: String::new(), headers: Vec::new() }
    }

    /// Returns a client of the same person that sends one more header.
    pub fn with(&self, name: &str, value: &str) -> Self {
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
    pub fn send_body(&self, method: &str, path: &str, body: impl Into<Value>) -> Response {
        self.send_json(method, path, &body.into())
    }

    fn send_json(&self, method: &str, path: &str, body: &Value) -> Response {
        let typed = self.with("content-type", "application/json");
        typed.send(method, path, Some(&body.to_string()))
    }

    /// Sends any request. `path` starts with a slash.
    pub fn send(&self, method: &str, path: &str, body: Option<&str>) -> Response {
        let uri = format!("{}{path}", self.world.base);
        let mut request = hyper::Request::builder().method(method).uri(uri);
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        let agent = &self.world.agent;
        let sent = match body {
            Some(body) => agent.run(request.body(body.to_owned()).unwrap()),
            None => agent.run(request.body(()).unwrap()),
        };
        let mut response = sent.unwrap_or_else(|error| panic!("{method} {path}: {error}"));
        let body = response.body_mut().with_config().limit(64 << 20).read_to_vec().unwrap();
        let mut known = vec![(self.world.base.clone(), "[base]".to_owned())];
        for (person, name) in people().iter().zip(PEOPLE) {
            known.push((person.id.clone(), format!("[{}]", name.to_lowercase())));
        }
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        Response { status, headers, body, known }
    }
}

/// A response. Prints as status and body, without the parts that differ from run to run.
pub struct Response {
    /// Status code.
    pub status: u16,
    /// Header fields.
    pub headers: hyper::HeaderMap,
    /// Body.
    pub body: Vec<u8>,
    known: Vec<(String, String)>,
}

impl Response {
    /// Returns the body as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// Returns the body as JSON.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("not JSON: {}", self.text()))
    }

    /// Returns a header, or an empty text if it is absent.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |it| it.to_str().unwrap())
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
        for (value, name) in &self.known {
            text = text.replace(value, name);
        }
        let text = redacted(&text);
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
pub fn redacted(text: &str) -> String {
    // A letter stands for a digit: `d` decimal, `x` hexadecimal.
    let patterns = [
        ("dddd-dd-ddTdd:dd:dd.dddZ", "[time]"),
        ("dddd-dd-ddTdd:dd:ddZ", "[time]"),
        ("xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx", "[uuid]"),
    ];
    let fits = |text: &str, pattern: &str| {
        text.len() >= pattern.len()
            && text.bytes().zip(pattern.bytes()).all(|(byte, wanted)| match wanted {
                b'd' => byte.is_ascii_digit(),
                b'x' => byte.is_ascii_hexdigit(),
                wanted => byte == wanted,
            })
    };
    let (mut out, mut rest) = (String::new(), text);
    while let Some(first) = rest.chars().next() {
        let taken = match patterns.iter().find(|(pattern, _)| fits(rest, pattern)) {
            Some((pattern, name)) => {
                out.push_str(name);
                pattern.len()
            }
            None => {
                out.push(first);
                first.len_utf8()
            }
        };
        rest = &rest[taken..];
    }
    out
}

#[test]
fn what_differs_from_run_to_run_does_not_print() {
    let text = "a 2026-11-21T13:59:59.123Z b 0197aa00-1234-7abc-8def-0123456789ab c 12-34";
    assert_eq!(redacted(text), "a [time] b [uuid] c 12-34");
}
