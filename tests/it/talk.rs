//! Conversations with the handlers of a fresh database, without a socket between.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use chartroom::features::accounts;
use chartroom::features::accounts::NewUser;
use chartroom::features::accounts::User;
use chartroom::platform::App;
use chartroom::platform::config::Config;
use chartroom::platform::http::Call;
use chartroom::platform::http::Reply;
use chartroom::platform::http::Route;
use chartroom::platform::http::reply::Body;
use chartroom::platform::id::AccountId;
use chartroom::routes;
use hyper::header::{HeaderName, HeaderValue};
use serde_json::Value;

/// Everybody's password here.
pub const PASSWORD: &str = "correct horse battery";

/// A fresh database and the handlers.
pub struct Server {
    pub app: Arc<App>,
    routes: Vec<Route>,
    _dir: tempfile::TempDir,
}

/// What came back.
pub struct Answer {
    pub status: u16,
    pub reply: Option<Reply>,
    /// The body, or the error's code and text.
    pub text: String,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|_| panic!("not JSON: {}", self.text))
    }

    pub fn header(&self, name: &str) -> String {
        let value = self.reply.as_ref().and_then(|it| it.headers.get(name));
        value.map_or_else(String::new, |it| it.to_str().unwrap().to_owned())
    }

    /// The cookie that the answer sets, as a browser sends it back.
    pub fn cookie(&self) -> String {
        self.header("set-cookie").split(';').next().unwrap().to_owned()
    }
}

impl Server {
    pub fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let config = Config { data_dir: dir.path().to_owned(), ..Config::default() };
        Self { app: App::open(config).unwrap(), routes: routes::all(), _dir: dir }
    }

    /// Makes a person with the password [`PASSWORD`].
    pub fn person(&self, name: &str) -> User {
        let new = NewUser {
            email: format!("{}@example.org", name.to_lowercase()),
            name: name.to_owned(),
            password_hash: Some(accounts::new_password_hash(&self.app, PASSWORD).unwrap()),
            ..NewUser::default()
        };
        let user = self.app.db.write(|tx| accounts::create(tx, new)).unwrap();
        self.app.db.read(|tx| Ok(accounts::profile(tx, &user.id)?.user())).unwrap()
    }

    /// An API token of a person, as an `Authorization` header.
    pub fn token(&self, user: &AccountId) -> String {
        let user = user.clone();
        let made = self.app.db.write(move |tx| accounts::make_token(tx, &user, "test", None));
        format!("Bearer {}", made.unwrap().1)
    }

    /// Runs a statement past all rules.
    pub fn sql(&self, sql: &'static str) {
        self.app.db.write(move |tx| tx.execute(sql, [])).unwrap();
    }

    /// A request without credentials.
    pub fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        let (route, params) = self
            .routes
            .iter()
            .filter(|it| it.method == method)
            .filter_map(|it| Some((it, params(it.path, path)?)))
            // A placeholder with a suffix goes before an open one.
            .max_by_key(|(it, _)| it.path.len())
            .unwrap_or_else(|| panic!("no route {method} {path}"));
        let headers = headers.iter().map(|(name, value)| {
            (name.parse::<HeaderName>().unwrap(), value.parse::<HeaderValue>().unwrap())
        });
        let call = Call {
            app: self.app.clone(),
            request_id: "test".to_owned(),
            method: method.parse().unwrap(),
            path: path.to_owned(),
            params,
            query: query.to_owned(),
            headers: headers.collect(),
            body: body.to_owned().into(),
            peer: [192, 0, 2, 1].into(),
        };
        match (route.handler)(&call) {
            Ok(reply) => {
                let text = match &reply.body {
                    Body::Bytes(bytes) => String::from_utf8_lossy(bytes).into_owned(),
                    Body::Stream(_) => String::new(),
                };
                Answer { status: reply.status.as_u16(), reply: Some(reply), text }
            }
            Err(error) => {
                let text = match &error {
                    chartroom::platform::error::Error::Internal(cause) => cause.to_string(),
                    other => other.to_string(),
                };
                Answer { status: error.status(), reply: None, text }
            }
        }
    }

    /// A JSON request with an `Authorization` header.
    pub fn ask(&self, who: &str, method: &str, path: &str, body: &str) -> Answer {
        let headers = [("authorization", who), ("content-type", "application/json")];
        self.send(method, path, &headers, body)
    }

    /// `POST /api/v1/session`.
    pub fn ask_session(&self, body: &str) -> Answer {
        self.send("POST", "/api/v1/session", &[("content-type", "application/json")], body)
    }

    /// A form as a page of this server sends it.
    pub fn form(&self, path: &str, body: &str) -> Answer {
        let headers = [
            ("content-type", "application/x-www-form-urlencoded"),
            ("origin", "http://127.0.0.1:8080"),
        ];
        self.send("POST", path, &headers, body)
    }
}

/// An `Authorization` header of basic credentials.
pub fn basic(who: &str, password: &str) -> String {
    format!("Basic {}", STANDARD.encode(format!("{who}:{password}")))
}

/// The values of a pattern's placeholders, when a path is of that pattern.
fn params(pattern: &'static str, path: &str) -> Option<Vec<(&'static str, String)>> {
    let (names, texts): (Vec<_>, Vec<_>) =
        (pattern.split('/').collect(), path.split('/').collect());
    if names.len() != texts.len() {
        return None;
    }
    let mut params = Vec::new();
    for (name, text) in names.into_iter().zip(texts) {
        match name.strip_prefix('{').and_then(|it| it.split_once('}')) {
            Some((name, suffix)) => {
                params.push((name, text.strip_suffix(suffix)?.replace("%40", "@")));
            }
            None if name == text => {}
            None => return None,
        }
    }
    Some(params)
}
