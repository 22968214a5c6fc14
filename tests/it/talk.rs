//! HTTP client and server for tests that are sequences of requests. Every test has a separate
//! server.

use std::io::Read;
use std::io::Write;
use std::net::SocketAddr;
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::mpsc;
use std::thread;
use std::thread::JoinHandle;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use chartroom::app::App;
use chartroom::features::accounts;
use chartroom::features::accounts::NewUser;
use chartroom::features::accounts::User;
use chartroom::features::listing::Indexer;
use chartroom::features::pages;
use chartroom::routes;
use chartroom_platform::config::Config;
use chartroom_platform::http::Service;
use chartroom_platform::http::ShutdownSignal;
use chartroom_platform::http::server;
use chartroom_platform::id::AccountId;
use serde_json::Value;

/// Password of all people.
pub const PASSWORD: &str = "correct horse battery";

/// A running server with a fresh database.
pub struct Server {
    pub app: Arc<App>,
    address: SocketAddr,
    stop: ShutdownSignal,
    thread: Option<JoinHandle<()>>,
    indexer: Option<Indexer>,
    _dir: tempfile::TempDir,
}

/// A response.
pub struct Answer {
    pub status: u16,
    /// Header fields in the order of the response, with lowercase names.
    pub headers: Vec<(String, String)>,
    /// Body as bytes.
    pub body: String,
    /// Body as text. For a problem document, its detail.
    pub text: String,
}

impl Answer {
    fn parse(bytes: &[u8]) -> Self {
        // Images are not text. Their tests check only status and headers.
        let all = String::from_utf8_lossy(bytes);
        let (head, body) = all.split_once("\r\n\r\n").unwrap();
        let mut lines = head.lines();
        let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
        let headers = lines.filter_map(|it| it.split_once(": "));
        let headers = headers.map(|(name, value)| (name.to_lowercase(), value.to_owned()));
        let mut answer = Self {
            status,
            headers: headers.collect(),
            body: body.to_owned(),
            text: body.to_owned(),
        };
        if answer.header("content-type") == "application/problem+json" {
            answer.text = answer.json()["detail"].as_str().unwrap().to_owned();
        }
        answer
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|_| panic!("not JSON: {}", self.text))
    }

    /// Returns the first header of this name, or an empty text without one.
    pub fn header(&self, name: &str) -> String {
        let found = self.headers.iter().find(|(it, _)| it == name);
        found.map_or_else(String::new, |(_, value)| value.clone())
    }

    /// Returns all headers of this name.
    pub fn headers(&self, name: &str) -> Vec<String> {
        let found = self.headers.iter().filter(|(it, _)| it == name);
        found.map(|(_, value)| value.clone()).collect()
    }

    /// Returns the cookie that the response sets, as a browser sends it back.
    pub fn cookie(&self) -> String {
        self.header("set-cookie").split(';').next().unwrap().to_owned()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.trigger();
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            eprintln!("the server panicked");
        }
    }
}

impl Server {
    pub fn new() -> Self {
        Self::with(Config::default())
    }

    /// Starts a server with these settings, except the address and the data directory.
    pub fn with(config: Config) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let listen = SocketAddr::from(([127, 0, 0, 1], 0));
        let config = Config { data_dir: dir.path().to_owned(), listen, ..config };
        let (app, stop) = (App::open(config).unwrap(), ShutdownSignal::default());
        let (sender, address) = mpsc::channel();
        let (theirs, told) = (app.clone(), stop.clone());
        let thread = thread::spawn(move || {
            let ready = |address| sender.send(address).unwrap();
            let routes = routes::bind_app(routes::all_routes(), &theirs);
            let service = Service { app: theirs, routes, error_page: Some(pages::error_page) };
            server::run_until(service, told, ready).unwrap();
        });
        let address = address.recv().unwrap();
        Self { app, address, stop, thread: Some(thread), indexer: None, _dir: dir }
    }

    /// Adds a search index to the server.
    pub fn index(&mut self) {
        self.indexer = Some(Indexer::start(self.app.clone()).unwrap());
    }

    /// Creates a person with the password [`PASSWORD`].
    pub fn person(&self, name: &str) -> User {
        let new = NewUser {
            email: format!("{}@example.org", name.to_lowercase()),
            name: name.to_owned(),
            password_hash: Some(accounts::hash_new_password(&self.app, PASSWORD).unwrap()),
            ..NewUser::default()
        };
        self.app.db.write(move |tx| accounts::create_user(tx, &new)).unwrap().user()
    }

    /// Returns an API token of a person as an `Authorization` header.
    pub fn token(&self, user: &AccountId) -> String {
        let user = user.clone();
        let made = self.app.db.write(move |tx| accounts::create_token(tx, &user, "test", None));
        format!("Bearer {}", made.unwrap().1)
    }

    /// Runs a statement directly in the database.
    pub fn sql(&self, sql: &'static str) {
        self.app.db.write(move |tx| tx.execute(sql, [])).unwrap();
    }

    /// Sends a request with only these headers.
    pub fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let mut request = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
        if !headers.iter().any(|(name, _)| *name == "host") {
            request += "Host: 192.0.2.1\r\n";
        }
        for (name, value) in headers {
            request += &format!("{name}: {value}\r\n");
        }
        request += &format!("Content-Length: {}\r\n\r\n{body}", body.len());
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        Answer::parse(&answer)
    }

    /// Sends a GET and returns the connection, from which the caller reads the response.
    pub fn begin(&self, path: &str) -> TcpStream {
        let mut stream = TcpStream::connect(self.address).unwrap();
        let head = "Host: 192.0.2.1\r\nConnection: close";
        write!(stream, "GET {path} HTTP/1.1\r\n{head}\r\n\r\n").unwrap();
        stream
    }

    /// Sends a JSON request with an `Authorization` header.
    pub fn ask(&self, who: &str, method: &str, path: &str, body: &str) -> Answer {
        let headers = [("authorization", who), ("content-type", "application/json")];
        self.send(method, path, &headers, body)
    }

    /// Sends `POST /api/v1/session`.
    pub fn ask_session(&self, body: &str) -> Answer {
        self.send("POST", "/api/v1/session", &[("content-type", "application/json")], body)
    }

    /// Sends a form as a page of this server does.
    pub fn form(&self, path: &str, body: &str) -> Answer {
        let headers = [
            ("content-type", "application/x-www-form-urlencoded"),
            ("origin", "http://127.0.0.1:8080"),
        ];
        self.send("POST", path, &headers, body)
    }
}

/// Returns an `Authorization` header of basic credentials.
pub fn basic(who: &str, password: &str) -> String {
    format!("Basic {}", STANDARD.encode(format!("{who}:{password}")))
}
