//! A small world: the real program that serves a fresh data directory, and its people.
//!
//! Ann owns, Ben reads, Cid is a stranger. The program's commands create them once. Every world
//! then starts with a copy of that data directory.

use std::fs;
use std::io::BufRead;
use std::io::BufReader;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::path::PathBuf;
use std::process::Child;
use std::process::Command;
use std::process::Output;
use std::process::Stdio;
use std::sync::OnceLock;
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;
use ureq::Agent;

use crate::client::Client;

/// Password of all people.
pub const PASSWORD: &str = "correct horse battery";

/// The people, in the order of [`World::ann`], [`World::ben`] and [`World::cid`].
pub const PEOPLE: [&str; 3] = ["Ann", "Ben", "Cid"];

/// A running server and its people.
pub struct World {
    dir: TempDir,
    settings: Vec<(String, String)>,
    process: Option<Child>,
    /// Base address of the server: `http://127.0.0.1:…`.
    pub base: String,
    /// Output of the server at its start.
    pub welcome: Value,
    pub(crate) agent: Agent,
}

/// A person with an account.
#[derive(Debug, Clone)]
pub struct Person {
    /// Account id.
    pub id: String,
    /// API token.
    pub token: String,
}

/// The data directory that every world copies, and its people.
struct Beginning {
    dir: TempDir,
    people: Vec<Person>,
}

fn beginning() -> &'static Beginning {
    static BEGINNING: OnceLock<Beginning> = OnceLock::new();
    BEGINNING.get_or_init(|| {
        let dir = private_dir();
        let people = PEOPLE.map(|name| {
            let email = format!("{}@example.org", name.to_lowercase());
            let create = ["user", "create", "--email", &email, "--name", name, "--password-stdin"];
            let user = json_of(&run(dir.path(), &[], &create, PASSWORD));
            let token = ["user", "token", &email, "--name", "test"];
            let token = json_of(&run(dir.path(), &[], &token, ""));
            Person { id: text(&user["id"]), token: text(&token["token"]) }
        });
        Beginning { dir, people: people.into() }
    })
}

/// Creates a directory with the mode that the program uses.
fn private_dir() -> TempDir {
    let closed = fs::Permissions::from_mode(0o700);
    tempfile::Builder::new().permissions(closed).tempdir().unwrap()
}

/// Returns the people of every world.
pub fn people() -> &'static [Person] {
    &beginning().people
}

impl World {
    /// Starts a world with the usual settings.
    pub fn new() -> Self {
        Self::with(&[])
    }

    /// Starts a world with these settings: `[("max_records", "10")]`.
    pub fn with(settings: &[(&str, &str)]) -> Self {
        let dir = private_dir();
        copy(beginning().dir.path(), dir.path());
        Self::of(dir, settings)
    }

    /// Starts a world without people.
    pub fn empty() -> Self {
        Self::of(private_dir(), &[])
    }

    fn of(dir: TempDir, settings: &[(&str, &str)]) -> Self {
        let agent = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .timeout_global(Some(Duration::from_secs(60)))
            .proxy(None)
            .build()
            .new_agent();
        let own = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        let settings = settings.iter().map(own).collect();
        let (base, welcome) = (String::new(), Value::Null);
        let mut world = Self { dir, settings, process: None, base, welcome, agent };
        world.start();
        world
    }

    /// Starts the server, which must not run.
    pub fn start(&mut self) {
        assert!(self.process.is_none(), "the server runs already");
        let log = fs::File::options().create(true).append(true).open(self.log_path()).unwrap();
        let mut process = program(self.path(), &self.settings())
            .args(["serve", "--listen", "127.0.0.1:0"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .unwrap();
        let mut line = String::new();
        let out = process.stdout.take().unwrap();
        BufReader::new(out).read_line(&mut line).unwrap();
        let Ok(welcome) = serde_json::from_str::<Value>(&line) else {
            let _ = process.kill();
            panic!("the server did not start:\n{}", self.log());
        };
        self.base = text(&welcome["base_url"]);
        self.welcome = welcome;
        self.process = Some(process);
    }

    /// Kills the server.
    pub fn kill(&mut self) {
        let mut process = self.process.take().unwrap();
        process.kill().unwrap();
        process.wait().unwrap();
    }

    /// Asks the server to stop and returns its exit code.
    pub fn stop(&mut self) -> Option<i32> {
        self.signal("TERM");
        self.process.take().unwrap().wait().unwrap().code()
    }

    /// Sends the server a signal such as `HUP`.
    pub fn signal(&self, signal: &str) {
        let kill = format!("kill -{signal} {}", self.process_id());
        assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
    }

    /// Returns the server's process id.
    pub fn process_id(&self) -> u32 {
        self.process.as_ref().unwrap().id()
    }

    /// Returns the data directory.
    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    /// Returns the complete log of the server.
    pub fn log(&self) -> String {
        fs::read_to_string(self.log_path()).unwrap_or_default()
    }

    /// Returns a directory next to the data, which the program never reads.
    fn log_path(&self) -> PathBuf {
        self.dir.path().with_extension("log")
    }

    fn settings(&self) -> Vec<(&str, &str)> {
        self.settings.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect()
    }

    /// Runs a command on the data directory, with `--json`.
    pub fn run(&self, arguments: &[&str]) -> Output {
        run(self.path(), &self.settings(), arguments, "")
    }

    /// Runs a command that must succeed and returns its output.
    pub fn json(&self, arguments: &[&str]) -> Value {
        json_of(&self.run(arguments))
    }

    /// Returns a client of Ann, the owner of the documents.
    pub fn ann(&self) -> Client<'_> {
        Client::of(self, &people()[0])
    }

    /// Returns a client of Ben, who may read some of Ann's documents.
    pub fn ben(&self) -> Client<'_> {
        Client::of(self, &people()[1])
    }

    /// Returns a client of Cid, a stranger with an account.
    pub fn cid(&self) -> Client<'_> {
        Client::of(self, &people()[2])
    }

    /// Returns a client without an account.
    pub fn nobody(&self) -> Client<'_> {
        Client::nobody(self)
    }
}

impl Drop for World {
    fn drop(&mut self) {
        if let Some(mut process) = self.process.take() {
            let _ = process.kill();
            let _ = process.wait();
        }
        if std::thread::panicking() {
            eprintln!("--- the server's log\n{}", self.log());
        }
        let _ = fs::remove_file(self.log_path());
    }
}

/// The program as `serve --demo`. It chooses its data directory itself.
pub struct Demo {
    process: Child,
    /// Output of the program at its start.
    pub welcome: Value,
}

impl Demo {
    /// Starts the program.
    pub fn start() -> Self {
        let elsewhere = tempfile::tempdir().unwrap();
        let mut process = bare(&[("log", "warn")])
            .args(["--json", "serve", "--demo", "--listen", "127.0.0.1:0"])
            .current_dir(elsewhere.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        Self { process, welcome: serde_json::from_str(&line).unwrap() }
    }

    /// Asks the program to stop and returns its exit code.
    pub fn stop(&mut self) -> Option<i32> {
        let kill = format!("kill -INT {}", self.process.id());
        assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
        self.process.wait().unwrap().code()
    }
}

impl Drop for Demo {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Returns a command for the program on a data directory. Settings become variables, and the
/// environment of the test is removed.
pub fn program(dir: &Path, settings: &[(&str, &str)]) -> Command {
    let mut command = bare(settings);
    command.arg("--json").arg("--data-dir").arg(dir);
    command
}

fn bare(settings: &[(&str, &str)]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chartroom"));
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("CHARTROOM_") {
            command.env_remove(name);
        }
    }
    for (name, value) in settings {
        command.env(format!("CHARTROOM_{}", name.to_uppercase()), value);
    }
    command
}

/// Runs the program to its end, with `input` on its standard input.
pub fn run(dir: &Path, settings: &[(&str, &str)], arguments: &[&str], input: &str) -> Output {
    let mut process = program(dir, settings)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A program that does not read its input closes it. That is no failure.
    let _ = process.stdin.take().unwrap().write_all(input.as_bytes());
    process.wait_with_output().unwrap()
}

/// Returns the output of a command that must succeed.
pub fn json_of(output: &Output) -> Value {
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {error}", output.status);
    serde_json::from_slice(&output.stdout).unwrap()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}")).to_owned()
}

/// Copies the files of a closed data directory.
fn copy(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_file() {
            fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
        }
    }
}

#[test]
fn the_people_are_who_they_are() {
    let mut world = World::new();
    let response = world.ann().get("/api/v1/user").expect(200);
    assert_eq!(response.json()["email"], "ann@example.org");
    assert_eq!(response.json()["id"], world.ann().id);
    assert!(response.to_string().contains("[ann]"), "{response}");
    assert_eq!(world.ben().get("/api/v1/user").json()["email"], "ben@example.org");
    assert_eq!(world.nobody().get("/api/v1/user").status, 401);
    assert_eq!(world.stop(), Some(0));
    world.start();
    assert_eq!(world.cid().get("/api/v1/user").json()["email"], "cid@example.org");
}
