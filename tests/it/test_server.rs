//! A server in the process of the test, and a raw HTTP/1.1 client for it. Every test starts a
//! separate server.

use std::io::Read;
use std::io::Write;
use std::net::SocketAddr;
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::mpsc;
use std::thread;
use std::thread::JoinHandle;
use std::time::Duration;

use argon2::Argon2;
use argon2::Params;
use argon2::PasswordHasher;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use chartroom::app::App;
use chartroom::features::accounts;
use chartroom::features::accounts::NewApiToken;
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

/// Password of all users that [`TestServer::create_user`] creates.
pub const PASSWORD: &str = "correct horse battery";

/// Returns a new Argon2 hash of [`PASSWORD`] with the lowest parameters, because most of the time of the
/// tests would otherwise go into hashes. The server reads the parameters from the hash. Passwords that
/// tests set with requests and commands have the real parameters.
fn hash_password() -> String {
    let (memory_kib, passes, lanes) = (Params::MIN_M_COST, Params::MIN_T_COST, Params::MIN_P_COST);
    let argon2 = Argon2::from(Params::new(memory_kib, passes, lanes, None).unwrap());
    argon2.hash_password(PASSWORD.as_bytes()).unwrap().to_string()
}

/// A running server with a fresh database. Dropping it stops it.
pub struct TestServer {
    /// State shared by all requests. Tests use it to access the database directly.
    pub app: Arc<App>,
    address: SocketAddr,
    stop: ShutdownSignal,
    thread: Option<JoinHandle<()>>,
    indexer: Option<Indexer>,
    _data_dir: tempfile::TempDir,
}

/// A response.
pub struct Response {
    /// Status code.
    pub status: u16,
    /// Header fields in the order of the response, with lowercase names.
    pub headers: Vec<(String, String)>,
    /// Body.
    pub bytes: Vec<u8>,
    /// Body. Invalid UTF-8 is replaced.
    pub body: String,
    /// Body. For a problem document, its `detail`.
    pub text: String,
}

impl Response {
    /// Parses an HTTP/1.1 response that is not chunked.
    fn parse(bytes: &[u8]) -> Self {
        // Images are not text. Their tests use `bytes`.
        let response_text = String::from_utf8_lossy(bytes);
        let (head, body) = response_text.split_once("\r\n\r\n").unwrap();
        let body_start = bytes.windows(4).position(|window| window == b"\r\n\r\n").unwrap() + 4;
        let mut lines = head.lines();
        let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
        let headers = lines.filter_map(|line| line.split_once(": "));
        let headers = headers.map(|(name, value)| (name.to_lowercase(), value.to_owned()));
        let mut response = Self {
            status,
            headers: headers.collect(),
            bytes: bytes[body_start..].to_vec(),
            body: body.to_owned(),
            text: body.to_owned(),
        };
        if response.header("content-type") == "application/problem+json" {
            response.text = response.json()["detail"].as_str().unwrap().to_owned();
        }
        response
    }

    /// Parses the text as JSON. Panics if it is not JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|_| panic!("not JSON: {}", self.text))
    }

    /// Returns the code of a problem document. Panics if the body is none.
    #[track_caller]
    pub fn problem_code(&self) -> String {
        let problem: Value = serde_json::from_str(&self.body).unwrap_or_default();
        problem["code"].as_str().unwrap_or_else(|| panic!("no problem: {}", self.body)).to_owned()
    }

    /// Returns the first header of this name, or an empty text without one.
    pub fn header(&self, name: &str) -> String {
        let found = self.headers.iter().find(|(name_in_response, _)| name_in_response == name);
        found.map_or_else(String::new, |(_, value)| value.clone())
    }

    /// Returns all headers of this name.
    pub fn headers(&self, name: &str) -> Vec<String> {
        let found = self.headers.iter().filter(|(name_in_response, _)| name_in_response == name);
        found.map(|(_, value)| value.clone()).collect()
    }

    /// Returns the cookie that the response sets, as a browser sends it back.
    pub fn cookie(&self) -> String {
        self.header("set-cookie").split(';').next().unwrap().to_owned()
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        self.stop.trigger();
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            eprintln!("the server panicked");
        }
    }
}

impl TestServer {
    /// Starts a server with the default settings.
    pub fn new() -> Self {
        Self::with_config(Config::default())
    }

    /// Starts a server with these settings, except the address and the data directory.
    pub fn with_config(config: Config) -> Self {
        let data_dir = tempfile::tempdir().unwrap();
        let listen = SocketAddr::from(([127, 0, 0, 1], 0));
        let config = Config { data_dir: data_dir.path().to_owned(), listen, ..config };
        let (app, stop) = (App::open(config).unwrap(), ShutdownSignal::default());
        let (sender, address_receiver) = mpsc::channel();
        let (server_app, server_stop) = (app.clone(), stop.clone());
        let thread = thread::spawn(move || {
            let report_address = |address| sender.send(address).unwrap();
            let routes = routes::bind_app(routes::all_routes(), &server_app);
            let service = Service { app: server_app, routes, error_page: Some(pages::error_page) };
            server::run_until(service, server_stop, report_address).unwrap();
        });
        let address = address_receiver.recv().unwrap();
        Self { app, address, stop, thread: Some(thread), indexer: None, _data_dir: data_dir }
    }

    /// Starts the search index of the server and waits until searches can use it.
    pub fn start_indexer(&mut self) {
        self.indexer = Some(Indexer::start(self.app.clone()).unwrap());
        self.wait_for_indexed_change(0);
    }

    /// Waits until the search index contains the change with this number.
    pub fn wait_for_indexed_change(&self, change: i64) {
        let wake = || self.app.db.commit_signal().notify();
        assert!(self.app.search.wait_for_change(change, Duration::from_secs(60), wake));
    }

    /// Stops the search index. Searches use it as it is.
    pub fn stop_indexer(&mut self) {
        self.indexer = None;
    }

    /// Creates a user with the password [`PASSWORD`] and the address `<name>@example.org`.
    pub fn create_user(&self, name: &str) -> User {
        let new_user = NewUser {
            email: format!("{}@example.org", name.to_lowercase()),
            name: name.to_owned(),
            password_hash: Some(hash_password()),
            ..NewUser::default()
        };
        self.app.db.write(move |tx| accounts::create_user(tx, &new_user)).unwrap().user()
    }

    /// Creates an API token of a user and returns it as the value of an `Authorization` header.
    pub fn create_bearer_token(&self, user: &AccountId) -> String {
        let user = user.clone();
        let created = self
            .app
            .db
            .write(move |tx| accounts::create_token(tx, &user, &NewApiToken::unlimited("test")));
        format!("Bearer {}", created.unwrap().1)
    }

    /// Executes a statement directly in the database.
    pub fn execute_sql(&self, sql: &'static str) {
        self.app.db.write(move |tx| tx.execute(sql, [])).unwrap();
    }

    /// Sends a request over a new connection and returns the response. Adds only the headers
    /// `Connection`, `Content-Length` and, if it is missing, `Host`.
    pub fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Response {
        self.send_bytes(method, path, headers, body.as_bytes())
    }

    /// Sends a request like [`TestServer::send`] with a body that need not be text.
    pub fn send_bytes(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Response {
        let mut request = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
        if !headers.iter().any(|(name, _)| *name == "host") {
            request += "Host: 192.0.2.1\r\n";
        }
        for (name, value) in headers {
            request += &format!("{name}: {value}\r\n");
        }
        request += &format!("Content-Length: {}\r\n\r\n", body.len());
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.write_all(&[request.as_bytes(), body].concat()).unwrap();
        let mut response_bytes = Vec::new();
        stream.read_to_end(&mut response_bytes).unwrap();
        Response::parse(&response_bytes)
    }

    /// Returns the URL of a path, for other programs.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Sends a GET and returns the connection, from which the test reads the response.
    pub fn open_get(&self, path: &str) -> TcpStream {
        self.open_get_with(path, "connection", "close")
    }

    /// Sends a GET with a header and returns the connection, from which the test reads the response.
    pub fn open_get_with(&self, path: &str, header: &str, value: &str) -> TcpStream {
        self.open_request("GET", path, &format!("{header}: {value}"))
    }

    /// Sends the first line and `headers` of a request, and returns the connection, to which the test
    /// writes the body.
    pub fn open_request(&self, method: &str, path: &str, headers: &str) -> TcpStream {
        let mut stream = TcpStream::connect(self.address).unwrap();
        let headers = format!("Host: 192.0.2.1\r\n{headers}");
        write!(stream, "{method} {path} HTTP/1.1\r\n{headers}\r\n\r\n").unwrap();
        stream
    }

    /// Sends a JSON request with an `Authorization` header.
    pub fn request(&self, authorization: &str, method: &str, path: &str, body: &str) -> Response {
        let headers = [("authorization", authorization), ("content-type", "application/json")];
        self.send(method, path, &headers, body)
    }

    /// Sends `POST /api/v1/session`.
    pub fn sign_in(&self, body: &str) -> Response {
        self.send("POST", "/api/v1/session", &[("content-type", "application/json")], body)
    }

    /// Sends a form as a page of this server does, with a matching `Origin` header.
    pub fn submit_form(&self, path: &str, body: &str) -> Response {
        let headers = [
            ("content-type", "application/x-www-form-urlencoded"),
            ("origin", "http://127.0.0.1:8080"),
        ];
        self.send("POST", path, &headers, body)
    }
}

/// Returns the value of an `Authorization` header with basic credentials.
pub fn basic_auth(name: &str, password: &str) -> String {
    format!("Basic {}", STANDARD.encode(format!("{name}:{password}")))
}
