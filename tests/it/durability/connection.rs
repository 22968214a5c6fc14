//! A connection to the server that may break at any moment.

use std::time::Duration;

use serde_json::Value;
use ureq::Agent;

use crate::server_process::test_users;

/// Media type of all bodies except uploads.
const JSON: &str = "application/json";

/// Sends requests as Ann over a connection that may break.
pub struct UnreliableConnection(Agent);

impl UnreliableConnection {
    /// Creates a connection with a time limit of 30 seconds per request.
    pub fn new() -> Self {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(Duration::from_secs(30)))
            .proxy(None);
        Self(config.build().new_agent())
    }

    /// Sends a request that must succeed, without a body if `body` is null. Returns null for an empty
    /// response and None if no response arrived.
    pub fn send(&self, method: &str, base: &str, path: &str, body: &Value) -> Option<Value> {
        let body = (!body.is_null()).then(|| body.to_string());
        let (status, text) = self.send_raw(method, base, path, JSON, body)?;
        assert!((200..300).contains(&status), "{method} {path}: {status} {text}");
        Some(serde_json::from_str(&text).unwrap_or(Value::Null))
    }

    /// Sends a PUT with a file that must succeed. Returns None if no response arrived.
    pub fn upload(&self, base: &str, path: &str, content: &str) -> Option<Value> {
        let content = Some(content.to_owned());
        let (status, text) =
            self.send_raw("PUT", base, path, "application/octet-stream", content)?;
        assert!((200..300).contains(&status), "PUT {path}: {status} {text}");
        Some(serde_json::from_str(&text).unwrap_or(Value::Null))
    }

    /// Reads a path. Returns Some(None) if nothing is there and None if no response arrived.
    pub fn get(&self, base: &str, path: &str) -> Option<Option<Value>> {
        let (status, text) = self.send_raw("GET", base, path, JSON, None)?;
        assert!(matches!(status, 200 | 404), "GET {path}: {status} {text}");
        Some((status == 200).then(|| serde_json::from_str(&text).unwrap()))
    }

    /// Sends a request and returns status and body. Returns None if no complete response arrived.
    fn send_raw(
        &self,
        method: &str,
        base: &str,
        path: &str,
        content_type: &str,
        body: Option<String>,
    ) -> Option<(u16, String)> {
        let request = ureq::http::Request::builder()
            .method(method)
            .uri(format!("{base}{path}"))
            .header("authorization", format!("Bearer {}", test_users()[0].token))
            .header("content-type", content_type);
        let mut response = match body {
            Some(body) => self.0.run(request.body(body).unwrap()).ok()?,
            None => self.0.run(request.body(()).unwrap()).ok()?,
        };
        // A response that breaks off counts as no response.
        let text = response.body_mut().with_config().limit(64 << 20).read_to_string().ok()?;
        Some((response.status().as_u16(), text))
    }
}
