//! Changes the responses of the stand-ins of cloud storage providers as the fuzzer's bytes say, and calls the
//! clients. Fails on a panic, on a call that does not end soon after its deadline, and on a token that another
//! host receives. CONTRIBUTING.md describes how to run it.

#![no_main]

use std::io::Read;
use std::io::Write;
use std::net::TcpStream;
use std::sync::LazyLock;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering;
use std::time::Duration;
use std::time::Instant;

use arbitrary::Unstructured;
use chartroom_cloud::EntryKind;
use chartroom_cloud::Provider;
use chartroom_cloud::ProviderSettings;
use chartroom_cloud::ROOT_FOLDER;
use chartroom_cloud::Session;
use chartroom_cloud::oauth;
use chartroom_platform::config::Secret;
use chartroom_platform::remote::ClientOptions;
use chartroom_platform::remote::Deadline;
use chartroom_platform::remote::DnsResolver;
use chartroom_platform::remote::NetworkScope;
use chartroom_platform::remote::RemoteClient;
use chartroom_stand_ins::StandIn;
use chartroom_stand_ins::http::Request;
use chartroom_stand_ins::http::Response;
use chartroom_stand_ins::http::Server;
use serde_json::Value;
use serde_json::json;

/// Maximum time of a session. A repetition after a pause needs more, so that none waits.
const SESSION_TIME: Duration = Duration::from_secs(1);
/// Time that a call may take beyond its deadline.
const SLACK: Duration = Duration::from_secs(3);
/// Number of the functions of a session and of the sign-in.
const FUNCTION_COUNT: u8 = 14;
/// Maximum number of changes in one run.
const MAX_EDITS: u8 = 12;

/// A change of a response.
#[derive(Debug)]
enum Edit {
    Status(u16),
    Header(&'static str, String),
    /// Replaces a part of the body: start, number of bytes, new bytes.
    Splice(usize, usize, Vec<u8>),
    /// Replaces the JSON value with this number, counted from the outermost one.
    Replace(usize, Value),
    /// Removes the member of an object with this number, counted in the whole document.
    Remove(usize),
    /// Leads all URLs in the body and in `Location` to the trap.
    Divert,
}

/// The changes of one run by the number of the response.
static EDITS: Mutex<Vec<(u8, Edit)>> = Mutex::new(Vec::new());
/// Number of responses in this run.
static COUNT: Mutex<u8> = Mutex::new(0);
/// Whether a host other than the provider has received a token.
static HAS_LEAKED: AtomicBool = AtomicBool::new(false);

/// A provider with the settings that lead to it through the changes.
struct Target {
    settings: ProviderSettings,
    stand_in: StandIn,
    ids: Ids,
}

/// Ids of entries as the client sees them.
#[derive(Default)]
struct Ids {
    folder: String,
    /// A file in the folder.
    file: String,
    /// A spreadsheet.
    source: String,
}

/// All targets.
static TARGETS: LazyLock<Vec<Target>> =
    LazyLock::new(|| Provider::ALL.into_iter().map(Target::start).collect());
/// A host that is not the provider.
static TRAP: LazyLock<Server> = LazyLock::new(|| {
    let serve = |request: &Request| {
        if request.header("authorization").is_some() {
            HAS_LEAKED.store(true, Ordering::SeqCst);
        }
        Response::text(200, "a,b\n1,2\n")
    };
    Server::start(serve).expect("a free port")
});
static CLIENT: LazyLock<RemoteClient> = LazyLock::new(|| {
    let scope = NetworkScope::Any;
    let options = ClientOptions { scope, timeout: SESSION_TIME, verify_certificates: true };
    let resolver = DnsResolver::new(Vec::new()).expect("a resolver");
    RemoteClient::new(resolver, &options).expect("a client")
});

impl Target {
    /// Starts the stand-in with a folder and files, and a server in front of each of its addresses.
    fn start(provider: Provider) -> Self {
        let stand_in = chartroom_stand_ins::start(provider.as_str()).expect("a stand-in");
        let addresses = stand_in.addresses.clone();
        for name in ["Folder", "a.csv", "b.csv", "c.csv"] {
            let content = "a,b\n1,2\n";
            match name.split_once('.') {
                Some(_) => stand_in.lock().tree.add_file("root", name, content.as_bytes()),
                None => stand_in.lock().tree.add_folder("root", name),
            };
        }
        let front = |url: &str| {
            let origin = url.split('/').take(3).collect::<Vec<_>>().join("/");
            let host = origin.trim_start_matches("http://").to_owned();
            let server = Server::start(move |request| forward(&host, request)).expect("a port");
            url.replacen(&origin, &server.url, 1)
        };
        if !addresses.download_url.is_empty() {
            stand_in.lock().download_url = front(&addresses.download_url);
        }
        let api_url = front(&addresses.api_url);
        let content_url = match addresses.content_url == addresses.api_url {
            true => api_url.clone(),
            false => front(&addresses.content_url),
        };
        let settings = ProviderSettings {
            provider,
            client_id: "client-id".to_owned(),
            client_secret: "client-secret".to_owned().into(),
            auth_url: addresses.auth_url.clone(),
            token_url: front(&addresses.token_url),
            api_url,
            content_url,
            link_url: match addresses.link_url.as_str() {
                "" => String::new(),
                url => front(url),
            },
            scopes: String::new(),
        };
        let mut target = Self { settings, stand_in, ids: Ids::default() };
        target.ids = target.find_ids();
        target.stand_in.lock().page_size = 2;
        target
    }

    /// Finds a spreadsheet, and creates a file in the innermost folder.
    fn find_ids(&self) -> Ids {
        let token = Secret::from(self.stand_in.lock().oauth.grant("").access);
        let session = self.session(&token);
        let mut ids = Ids { folder: ROOT_FOLDER.to_owned(), ..Ids::default() };
        loop {
            let page = session.list_folder(&ids.folder, None).expect("a list");
            let find = |kind| page.entries.iter().find(|entry| entry.kind == kind);
            if let Some(file) = find(EntryKind::File).filter(|_| ids.source.is_empty()) {
                ids.source.clone_from(&file.id);
            }
            let Some(folder) = find(EntryKind::Folder) else { break };
            ids.folder.clone_from(&folder.id);
        }
        let file = session.create_file(&ids.folder, "own.csv", b"{}").expect("a new file");
        Ids { file: file.id, ..ids }
    }

    /// Returns a session with a token.
    fn session<'a>(&'a self, token: &'a Secret) -> Session<'a> {
        let deadline = Deadline::after(SESSION_TIME);
        Session { settings: &self.settings, client: &CLIENT, access_token: token, deadline }
    }

    /// Calls a function of the client. All results are valid.
    fn call(&self, function: u8, (token, refresh): (&Secret, &Secret), text: &str) {
        let session = self.session(token);
        let (folder, file) = (self.ids.folder.as_str(), self.ids.file.as_str());
        let revision = Some(text).filter(|text| !text.is_empty());
        match function {
            0 => drop(session.account()),
            1 => drop(session.folder(folder)),
            2 | 3 => {
                let id = if function == 2 { ROOT_FOLDER } else { folder };
                let page = session.list_folder(id, revision.filter(|_| function == 3));
                if let Some(cursor) = page.ok().and_then(|page| page.cursor) {
                    drop(session.list_folder(id, Some(&cursor)));
                }
            }
            4 => drop(session.create_folder(ROOT_FOLDER, text)),
            5 => drop(session.create_file(folder, text, b"{}")),
            6 => drop(session.update_file(file, b"{}", revision)),
            7 => drop(session.file(file)),
            8 => drop(session.read_file(file, 1 << 20)),
            9 => drop(session.rename_file(file, "n.csv", revision)),
            10 => drop(session.fetch_source(&self.ids.source, revision)),
            11 => drop(session.fetch_link(text, None)),
            12 => drop(oauth::refresh(&self.settings, &CLIENT, refresh, session.deadline)),
            _ => {
                let redirect = "http://127.0.0.1/callback";
                let code = (text, "verifier");
                drop(oauth::exchange_code(
                    &self.settings,
                    &CLIENT,
                    redirect,
                    code,
                    session.deadline,
                ));
            }
        }
    }
}

/// Sends a request to a stand-in and changes its response.
fn forward(host: &str, request: &Request) -> Response {
    let Some(mut response) = send(host, request) else { return Response::empty(502) };
    let number = {
        let mut count = COUNT.lock().unwrap_or_else(PoisonError::into_inner);
        *count = count.saturating_add(1);
        *count - 1
    };
    let edits = EDITS.lock().unwrap_or_else(PoisonError::into_inner);
    for (_, edit) in edits.iter().filter(|(wanted, _)| *wanted == number) {
        apply(edit, &mut response);
    }
    response
}

/// Sends a request to a stand-in.
fn send(host: &str, request: &Request) -> Option<Response> {
    let mut stream = TcpStream::connect(host).ok()?;
    let query: String =
        form_urlencoded::Serializer::new(String::new()).extend_pairs(&request.query).finish();
    let mut head = format!("{} {}?{query} HTTP/1.1\r\n", request.method, request.path);
    for (name, value) in &request.headers {
        if !matches!(name.as_str(), "content-length" | "transfer-encoding" | "accept-encoding") {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
    }
    head.push_str(&format!("content-length: {}\r\n\r\n", request.body.len()));
    stream.write_all(head.as_bytes()).ok()?;
    stream.write_all(&request.body).ok()?;
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).ok()?;
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n")?;
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let mut lines = head.lines();
    let status = lines.next()?.split(' ').nth(1)?.parse().ok()?;
    let headers = lines
        .filter_map(|line| line.split_once(": "))
        .filter(|(name, _)| !matches!(*name, "Content-Length" | "Connection"))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    Some(Response { headers, body: bytes[end + 4..].to_vec(), ..Response::empty(status) })
}

/// Changes a response.
fn apply(edit: &Edit, response: &mut Response) {
    match edit {
        Edit::Status(status) => response.status = *status,
        Edit::Header(name, value) => {
            response.headers.retain(|(other, _)| !other.eq_ignore_ascii_case(name));
            response.headers.push(((*name).to_owned(), value.clone()));
        }
        Edit::Splice(start, length, bytes) => {
            let start = start % (response.body.len() + 1);
            let end = (start + length).min(response.body.len());
            response.body.splice(start..end, bytes.iter().copied());
        }
        Edit::Replace(number, value) => edit_json(response, |json| {
            replace(json, &mut number.clone(), value);
        }),
        Edit::Remove(number) => edit_json(response, |json| {
            remove(json, &mut number.clone());
        }),
        Edit::Divert => {
            let text = String::from_utf8_lossy(&response.body).into_owned();
            response.body = divert(&text).into_bytes();
            for (_, value) in &mut response.headers {
                *value = divert(value);
            }
        }
    }
}

/// Replaces hosts in URLs by the trap.
fn divert(text: &str) -> String {
    let mut parts = text.split("http://127.0.0.1:");
    let mut diverted = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        diverted.push_str(&TRAP.url);
        diverted.push_str(part.trim_start_matches(|digit: char| digit.is_ascii_digit()));
    }
    diverted
}

/// Changes a body in JSON.
fn edit_json(response: &mut Response, edit: impl FnOnce(&mut Value)) {
    if let Ok(mut json) = serde_json::from_slice(&response.body) {
        edit(&mut json);
        response.body = json.to_string().into_bytes();
    }
}

/// Replaces the value with a number. Returns whether it was found.
fn replace(json: &mut Value, number: &mut usize, value: &Value) -> bool {
    if *number == 0 {
        *json = value.clone();
        return true;
    }
    *number -= 1;
    match json {
        Value::Array(values) => values.iter_mut().any(|inner| replace(inner, number, value)),
        Value::Object(members) => members.values_mut().any(|inner| replace(inner, number, value)),
        _ => false,
    }
}

/// Removes the member with a number. Returns whether it was found.
fn remove(json: &mut Value, number: &mut usize) -> bool {
    match json {
        Value::Array(values) => values.iter_mut().any(|inner| remove(inner, number)),
        Value::Object(members) => {
            if let Some(name) = members.keys().nth(*number).cloned() {
                members.remove(&name);
                return true;
            }
            *number -= members.len();
            members.values_mut().any(|inner| remove(inner, number))
        }
        _ => false,
    }
}

/// Reads a change from the fuzzer's bytes.
fn read_edit(bytes: &mut Unstructured<'_>) -> arbitrary::Result<Edit> {
    const STATUSES: [u16; 18] =
        [200, 201, 202, 204, 301, 302, 304, 307, 400, 401, 403, 404, 409, 412, 423, 429, 500, 503];
    const HEADERS: [&str; 8] = [
        "Location",
        "Retry-After",
        "Content-Type",
        "Content-Encoding",
        "ETag",
        "Dropbox-API-Result",
        "WWW-Authenticate",
        "Set-Cookie",
    ];
    Ok(match bytes.int_in_range(0..=6)? {
        0 => Edit::Status(*bytes.choose(&STATUSES)?),
        1 => {
            let value: String = bytes.arbitrary()?;
            let value = value.chars().filter(|character| !character.is_control()).take(200);
            Edit::Header(bytes.choose(&HEADERS)?, value.collect())
        }
        2 | 3 => {
            let (start, length) = (bytes.arbitrary::<u16>()?, bytes.arbitrary::<u8>()?);
            Edit::Splice(start.into(), length.into(), bytes.arbitrary()?)
        }
        4 => Edit::Replace(bytes.int_in_range(0..=60)?, read_value(bytes)?),
        5 => Edit::Remove(bytes.int_in_range(0..=60)?),
        _ => Edit::Divert,
    })
}

/// Reads a JSON value that clients do not expect.
fn read_value(bytes: &mut Unstructured<'_>) -> arbitrary::Result<Value> {
    Ok(match bytes.int_in_range(0..=9)? {
        0 => Value::Null,
        1 => json!(bytes.arbitrary::<i64>()?),
        2 => json!(bytes.arbitrary::<u64>()?),
        3 => json!(bytes.arbitrary::<f64>()?),
        4 => json!(bytes.arbitrary::<String>()?),
        5 => json!([]),
        6 => json!({}),
        7 => json!(true),
        8 => json!(TRAP.url),
        _ => (0..100).fold(json!(1), |inner, _| json!([inner])),
    })
}

/// Runs the fuzzer's bytes: provider, function, text, and the changes of the responses.
fn run(bytes: &[u8]) -> arbitrary::Result<()> {
    let mut bytes = Unstructured::new(bytes);
    let target = bytes.choose(&TARGETS)?;
    let function = bytes.int_in_range(0..=FUNCTION_COUNT - 1)?;
    let text: String = bytes.arbitrary()?;
    let count = bytes.int_in_range(0..=MAX_EDITS)?;
    let mut edits = Vec::new();
    for _ in 0..count {
        edits.push((bytes.int_in_range(0..=5)?, read_edit(&mut bytes)?));
    }
    let (nodes, grants, grant) = {
        let mut state = target.stand_in.lock();
        let (nodes, grants) = (state.tree.nodes.clone(), state.oauth.grants.clone());
        (nodes, grants, state.oauth.grant(""))
    };
    let (token, refresh) = (Secret::from(grant.access), grant.refresh.unwrap_or_default().into());
    *EDITS.lock().unwrap_or_else(PoisonError::into_inner) = edits;
    *COUNT.lock().unwrap_or_else(PoisonError::into_inner) = 0;
    let begin = Instant::now();
    target.call(function, (&token, &refresh), &text);
    assert!(begin.elapsed() < SESSION_TIME + SLACK, "the call took {:?}", begin.elapsed());
    assert!(!HAS_LEAKED.load(Ordering::SeqCst), "another host has received a token");
    let mut state = target.stand_in.lock();
    (state.tree.nodes, state.oauth.grants) = (nodes, grants);
    state.log.clear();
    Ok(())
}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    // An error means that the bytes describe no run.
    let _ = run(bytes);
});
