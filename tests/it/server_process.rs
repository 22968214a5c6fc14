//! The real program as a server process with a fresh data directory, and its users.
//!
//! Ann owns the documents, Ben may read some of them, and Cid is a stranger. The program's commands
//! create these users once. Every server process then starts with a copy of that data directory.

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
use std::time::Instant;

use serde_json::Value;
use tempfile::TempDir;
use ureq::Agent;

use crate::client::Client;

/// Maximum time until a response is complete. Much longer than any response takes on a busy machine, so
/// that only a server that hangs exceeds it.
const MAX_RESPONSE_TIME: Duration = Duration::from_secs(300);

/// Password of all test users.
pub const PASSWORD: &str = "correct horse battery";

/// Names of the test users, in the order of [`ServerProcess::ann`], [`ServerProcess::ben`] and
/// [`ServerProcess::cid`].
pub const USER_NAMES: [&str; 3] = ["Ann", "Ben", "Cid"];

/// A server process with its data directory. Dropping it kills the process.
pub struct ServerProcess {
    dir: TempDir,
    /// Names and values of settings that differ from the defaults.
    settings: Vec<(String, String)>,
    launch: Launch,
    /// None while the server does not run.
    process: Option<Child>,
    /// Base URL of the server, such as `http://127.0.0.1:40123`.
    pub base_url: String,
    /// JSON that the server printed at its start.
    pub startup_output: Value,
    pub(crate) agent: Agent,
}

/// The way to start a server process, if it is not the usual one.
#[derive(Default)]
pub struct Launch {
    /// Program with arguments that runs the server, such as `nsenter`. Empty for none.
    pub wrapper: Vec<String>,
    /// Program that runs instead of `chartroom`.
    pub program: Option<PathBuf>,
    /// Names and values of environment variables.
    pub environment: Vec<(String, String)>,
}

/// A user with an API token.
#[derive(Debug, Clone)]
pub struct TestUser {
    /// Account id.
    pub id: String,
    /// API token.
    pub token: String,
}

/// The data directory that every server process copies, and its users.
struct DataTemplate {
    dir: TempDir,
    users: Vec<TestUser>,
}

/// Returns the data directory with the test users. The first call creates it.
fn data_template() -> &'static DataTemplate {
    static TEMPLATE: OnceLock<DataTemplate> = OnceLock::new();
    TEMPLATE.get_or_init(|| {
        let dir = create_private_dir();
        let users = USER_NAMES.map(|name| {
            let email = format!("{}@example.org", name.to_lowercase());
            let create_user =
                ["user", "create", "--email", &email, "--name", name, "--password-stdin"];
            let user = parse_json_output(&run_program(dir.path(), &[], &create_user, PASSWORD));
            let create_token = ["user", "token", &email, "--name", "test"];
            let token = parse_json_output(&run_program(dir.path(), &[], &create_token, ""));
            TestUser { id: json_string(&user["id"]), token: json_string(&token["token"]) }
        });
        DataTemplate { dir, users: users.into() }
    })
}

/// Creates a directory that only its owner can access, as the program requires.
fn create_private_dir() -> TempDir {
    let owner_only = fs::Permissions::from_mode(0o700);
    tempfile::Builder::new().permissions(owner_only).tempdir().unwrap()
}

/// Returns the users that every server process starts with.
pub fn test_users() -> &'static [TestUser] {
    &data_template().users
}

impl ServerProcess {
    /// Starts a server with the test users and the default settings.
    pub fn new() -> Self {
        Self::with_settings(&[])
    }

    /// Starts a server with the test users and these settings, such as `[("max_records", "10")]`.
    pub fn with_settings(settings: &[(&str, &str)]) -> Self {
        let dir = create_private_dir();
        copy_files(data_template().dir.path(), dir.path());
        Self::start_in(dir, settings)
    }

    /// Prepares a server with the test users and these settings, but does not start it.
    pub fn prepare(settings: &[(&str, &str)], launch: Launch) -> Self {
        let dir = create_private_dir();
        copy_files(data_template().dir.path(), dir.path());
        let mut server = Self::new_stopped(dir, settings);
        server.launch = launch;
        server
    }

    /// Starts a server without users.
    pub fn without_users() -> Self {
        Self::start_in(create_private_dir(), &[])
    }

    /// Starts a server on a data directory.
    fn start_in(dir: TempDir, settings: &[(&str, &str)]) -> Self {
        let mut process_handle = Self::new_stopped(dir, settings);
        process_handle.start();
        process_handle
    }

    /// Returns a handle of a server on a data directory, which does not run yet.
    fn new_stopped(dir: TempDir, settings: &[(&str, &str)]) -> Self {
        let agent = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .timeout_global(Some(MAX_RESPONSE_TIME))
            .proxy(None)
            .build()
            .new_agent();
        let to_owned_pair =
            |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        let settings = settings.iter().map(to_owned_pair).collect();
        let (base_url, startup_output) = (String::new(), Value::Null);
        let launch = Launch::default();
        Self { dir, settings, launch, process: None, base_url, startup_output, agent }
    }

    /// Changes a setting for the next start.
    pub fn set(&mut self, name: &str, value: &str) {
        self.settings.retain(|(other, _)| other != name);
        self.settings.push((name.to_owned(), value.to_owned()));
    }

    /// Changes the way of the next start.
    pub fn set_launch(&mut self, launch: Launch) {
        self.launch = launch;
    }

    /// Starts the server and waits until it has printed its address. Panics if it already runs.
    pub fn start(&mut self) {
        if let Err(log) = self.try_start() {
            panic!("the server did not start:\n{log}");
        }
    }

    /// Starts the server like [`Self::start`]. Returns its log if it ends instead of serving.
    pub fn try_start(&mut self) -> Result<(), String> {
        assert!(self.process.is_none(), "the server already runs");
        let log = fs::File::options().create(true).append(true).open(self.log_path()).unwrap();
        let mut process = self
            .launch
            .apply(program_command(self.data_dir(), &self.settings()))
            .args(["serve", "--listen", "127.0.0.1:0"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .unwrap();
        let mut line = String::new();
        let stdout = process.stdout.take().unwrap();
        BufReader::new(stdout).read_line(&mut line).unwrap();
        let Ok(startup_output) = serde_json::from_str::<Value>(&line) else {
            let _ = process.kill();
            let _ = process.wait();
            return Err(self.log());
        };
        self.base_url = json_string(&startup_output["base_url"]);
        self.startup_output = startup_output;
        self.process = Some(process);
        Ok(())
    }

    /// Kills the server and waits until the process has ended.
    pub fn kill(&mut self) {
        let mut process = self.process.take().unwrap();
        process.kill().unwrap();
        process.wait().unwrap();
    }

    /// Stops the server gracefully and returns its exit code.
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
    pub fn data_dir(&self) -> &Path {
        self.dir.path()
    }

    /// Returns the complete log of the server.
    pub fn log(&self) -> String {
        fs::read_to_string(self.log_path()).unwrap_or_default()
    }

    /// Returns whether the log holds a panic, of the server's log or of the time before it.
    ///
    /// The text of an error may contain the word, such as "failed or panicked".
    pub fn has_panicked(&self) -> bool {
        self.log().lines().any(|line| match serde_json::from_str::<Value>(line) {
            Ok(entry) => entry["message"] == "panic",
            Err(_) => line.contains("panicked at"),
        })
    }

    /// Returns the path of the log. It is next to the data directory, so the program never reads
    /// it.
    fn log_path(&self) -> PathBuf {
        self.dir.path().with_extension("log")
    }

    fn settings(&self) -> Vec<(&str, &str)> {
        self.settings.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect()
    }

    /// Runs a subcommand on the data directory with `--json` and the same settings.
    pub fn run_command(&self, arguments: &[&str]) -> Output {
        run_program(self.data_dir(), &self.settings(), arguments, "")
    }

    /// Runs a subcommand that must succeed and returns its JSON output.
    pub fn run_json(&self, arguments: &[&str]) -> Value {
        parse_json_output(&self.run_command(arguments))
    }

    /// Returns a client of Ann, the owner of the documents.
    pub fn ann(&self) -> Client<'_> {
        Client::for_user(self, &test_users()[0])
    }

    /// Returns a client of Ben, who may read some of Ann's documents.
    pub fn ben(&self) -> Client<'_> {
        Client::for_user(self, &test_users()[1])
    }

    /// Returns a client of Cid, a stranger with an account.
    pub fn cid(&self) -> Client<'_> {
        Client::for_user(self, &test_users()[2])
    }

    /// Waits until the server reports that it is ready, which takes a moment after its start. Panics
    /// after 30 seconds.
    pub fn wait_until_ready(&self) {
        let started = Instant::now();
        loop {
            let report = self.guest().get("/readyz");
            if report.status == 200 {
                return;
            }
            assert!(started.elapsed() < Duration::from_secs(30), "{report}\n{}", self.log());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Returns a client without credentials.
    pub fn guest(&self) -> Client<'_> {
        Client::guest(self)
    }
}

impl Launch {
    /// Returns `command` with another program, a program around it, and further variables.
    fn apply(&self, command: Command) -> Command {
        let program = self.program.clone().map_or(command.get_program().into(), Into::into);
        let mut words = self.wrapper.iter().map(Into::into).chain([program]);
        let mut changed = Command::new::<std::ffi::OsString>(words.next().unwrap());
        changed.args(words).args(command.get_args());
        for (name, value) in command.get_envs() {
            match value {
                Some(value) => changed.env(name, value),
                None => changed.env_remove(name),
            };
        }
        for (name, value) in &self.environment {
            changed.env(name, value);
        }
        changed
    }
}

impl Drop for ServerProcess {
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

/// The program as `serve --demo`, which chooses its own data directory.
pub struct DemoProcess {
    process: Child,
    /// JSON that the program printed at its start.
    pub startup_output: Value,
}

impl DemoProcess {
    /// Starts the program.
    pub fn start() -> Self {
        let working_dir = tempfile::tempdir().unwrap();
        let mut process = bare_command(&[("log", "warn")])
            .args(["--json", "serve", "--demo", "--listen", "127.0.0.1:0"])
            .current_dir(working_dir.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        Self { process, startup_output: serde_json::from_str(&line).unwrap() }
    }

    /// Interrupts the program and returns its exit code.
    pub fn stop(&mut self) -> Option<i32> {
        let kill = format!("kill -INT {}", self.process.id());
        assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
        self.process.wait().unwrap().code()
    }
}

impl Drop for DemoProcess {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Returns a command that runs the program on a data directory with `--json`. Settings become
/// `CHARTROOM_…` variables. Other variables with this prefix are removed.
pub fn program_command(dir: &Path, settings: &[(&str, &str)]) -> Command {
    let mut command = bare_command(settings);
    command.arg("--json").arg("--data-dir").arg(dir);
    command
}

/// Returns a command that runs the program without arguments.
fn bare_command(settings: &[(&str, &str)]) -> Command {
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

/// Runs the program until it exits, with `input` on its standard input.
pub fn run_program(
    dir: &Path,
    settings: &[(&str, &str)],
    arguments: &[&str],
    input: &str,
) -> Output {
    let mut process = program_command(dir, settings)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A program that does not read its input may close it. That is not a failure.
    let _ = process.stdin.take().unwrap().write_all(input.as_bytes());
    process.wait_with_output().unwrap()
}

/// Parses the standard output of a command as JSON. Panics if the command failed.
pub fn parse_json_output(output: &Output) -> Value {
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {error}", output.status);
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Returns the string in a JSON value. Panics if it is not a string.
fn json_string(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("not a string: {value}")).to_owned()
}

/// Copies the files of a data directory that no program uses. Skips subdirectories.
fn copy_files(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_file() {
            fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
        }
    }
}

#[test]
fn test_users_keep_their_accounts_after_a_restart() {
    let mut server = ServerProcess::new();
    let response = server.ann().get("/api/v1/user").expect(200);
    assert_eq!(response.json()["email"], "ann@example.org");
    assert_eq!(response.json()["id"], server.ann().id);
    assert!(response.to_string().contains("[ann]"), "{response}");
    assert_eq!(server.ben().get("/api/v1/user").json()["email"], "ben@example.org");
    assert_eq!(server.guest().get("/api/v1/user").status, 401);
    assert_eq!(server.stop(), Some(0));
    server.start();
    assert_eq!(server.cid().get("/api/v1/user").json()["email"], "cid@example.org");
}
