//! Tests with a disk that is really full: a small file system in memory that only the server sees.
//!
//! A user namespace permits the mount without privileges. A shell holds the namespace while servers
//! start and stop in it.

use std::fs;
use std::io::BufRead;
use std::io::BufReader;
use std::io::ErrorKind;
use std::io::Write;
use std::path::Path;
use std::path::PathBuf;
use std::process::Child;
use std::process::Command;
use std::process::Stdio;
use std::thread;
use std::time::Duration;
use std::time::Instant;

use serde_json::json;

use crate::client::Client;
use crate::server_process::Launch;
use crate::server_process::PASSWORD;
use crate::server_process::ServerProcess;

/// Maximum time until the server notices that space is available again.
const MAX_RECOVERY_TIME: Duration = Duration::from_secs(30);

/// Mounts a file system over a directory and keeps its content. Ends when its input is closed.
const MOUNT_SCRIPT: &str = "set -e
copy=$(mktemp -d)
cp -a \"$1/.\" \"$copy\"
mount -t tmpfs -o \"$2\" tmpfs \"$1\"
cp -a \"$copy/.\" \"$1\"
rm -r \"$copy\"
echo mounted
read line || true";

/// A small file system over a directory, in a mount namespace of its own.
struct SmallDisk {
    keeper: Child,
    /// Path of the directory for processes outside the namespace.
    dir: PathBuf,
}

impl SmallDisk {
    /// Mounts a file system with these options over `dir`, and copies the content of `dir` to it.
    fn mount(dir: &Path, options: &str) -> Self {
        let mut keeper = Command::new("unshare")
            .args(["--user", "--map-root-user", "--mount", "sh", "-c", MOUNT_SCRIPT, "sh"])
            .args([dir.as_os_str(), options.as_ref()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("unshare is needed");
        let mut line = String::new();
        BufReader::new(keeper.stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert_eq!(line, "mounted\n", "the system does not permit the mount");
        let root = PathBuf::from(format!("/proc/{}/root", keeper.id()));
        let dir = root.join(dir.strip_prefix("/").unwrap());
        Self { keeper, dir }
    }

    /// Returns the way to start a server that sees this disk.
    fn launch(&self) -> Launch {
        let target = self.keeper.id().to_string();
        let words =
            ["nsenter", "--preserve-credentials", "--user", "--mount", "--target", &target, "--"];
        Launch { wrapper: words.map(str::to_owned).into(), ..Launch::default() }
    }

    /// Fills the disk to the last byte.
    fn fill(&self) {
        let mut filler =
            fs::File::options().create(true).append(true).open(self.dir.join("filler")).unwrap();
        for block in [1 << 20, 4096, 1] {
            loop {
                match filler.write_all(&vec![b'x'; block]) {
                    Ok(()) => {}
                    Err(error) => {
                        assert_eq!(error.kind(), ErrorKind::StorageFull, "{error}");
                        break;
                    }
                }
            }
        }
    }

    /// Creates empty files until the disk has no inode left.
    fn fill_inodes(&self) {
        for number in 0.. {
            match fs::File::create(self.dir.join(format!("empty-{number}"))) {
                Ok(_) => {}
                Err(error) => {
                    assert_eq!(error.kind(), ErrorKind::StorageFull, "{error}");
                    break;
                }
            }
        }
    }

    /// Returns the number of files in the reserve.
    fn count_reserve_files(&self) -> usize {
        fs::read_dir(self.dir.join("reserve")).map_or(0, Iterator::count)
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        drop(self.keeper.stdin.take());
        let _ = self.keeper.wait();
    }
}

/// Prepares a server with a small disk. The disk is dropped first.
fn prepare(options: &str, settings: &[(&str, &str)]) -> (SmallDisk, ServerProcess) {
    let mut server = ServerProcess::prepare(settings, Launch::default());
    let disk = SmallDisk::mount(server.data_dir(), options);
    server.set_launch(disk.launch());
    (disk, server)
}

/// Returns the path of a new document of the caller.
fn create_document(client: &Client<'_>) -> String {
    let created = client.post("/api/v1/create-document", json!({ "widget": "bar" })).expect(200);
    format!("/api/v1/users/{}/documents/{}", client.id, created.json()["id"].as_str().unwrap())
}

/// Replaces the records of a document by about `bytes` bytes of JSON and returns the status.
fn write_data(client: &Client<'_>, path: &str, bytes: usize) -> u16 {
    let record = json!({ "label": "x".repeat(1000), "value": 1 });
    client.put(&format!("{path}/data"), vec![record; bytes / 1024]).status
}

/// Panics unless reading works.
#[track_caller]
fn check_reads(client: &Client<'_>, path: &str) {
    for page in [path, &format!("{path}.svg"), &format!("{path}.png"), "/api/v1/user"] {
        client.get(page).expect(200);
    }
    client.get(&format!("/api/v1/users/{}/recent", client.id)).expect(200);
}

/// Panics unless signing in and out works.
#[track_caller]
fn check_sign_in(server: &ServerProcess) {
    let credentials = json!({ "email": "ann@example.org", "password": PASSWORD });
    let session = server.guest().post("/api/v1/session", credentials).expect(200);
    let cookie = session.header("set-cookie").split(';').next().unwrap().to_owned();
    let browser = server.guest().with_header("cookie", &cookie);
    browser.with_header("origin", &server.base_url).delete("/api/v1/session").expect(204);
}

/// Waits until a write succeeds.
fn wait_for_writes(client: &Client<'_>, path: &str) {
    let start = Instant::now();
    while write_data(client, path, 10_000) != 200 {
        assert!(start.elapsed() < MAX_RECOVERY_TIME, "writes do not recover");
        thread::sleep(Duration::from_millis(100));
    }
}

#[test]
#[ignore = "needs unshare and nsenter"]
fn a_full_disk_permits_reading_deleting_signing_in_and_restarting() {
    let (disk, mut server) = prepare("size=80m,mode=700", &[("min_free", "8 MiB")]);
    server.start();
    assert_eq!(disk.count_reserve_files(), 16);
    let documents: Vec<String> = (0..8).map(|_| create_document(&server.ann())).collect();
    for path in &documents {
        assert_eq!(write_data(&server.ann(), path, 500_000), 200);
    }
    disk.fill();
    check_reads(&server.ann(), &documents[0]);
    server.wait_until_ready();
    assert_eq!(write_data(&server.ann(), &documents[0], 600_000), 507);
    server.ann().post("/api/v1/create-document", json!({ "widget": "bar" })).expect(507);
    check_sign_in(&server);
    server.ann().delete(&documents[1]).expect(204);
    server.ann().delete(&format!("{}?expunge=1", documents[2])).expect(204);
    server.ann().delete(&format!("/api/v1/users/{}/trash", server.ann().id)).expect(204);

    disk.fill();
    server.kill();
    server.start();
    check_reads(&server.ann(), &documents[0]);
    check_sign_in(&server);
    server.ann().delete(&format!("{}?expunge=1", documents[3])).expect(204);
    server.ann().get(&documents[3]).expect(404);

    fs::remove_file(disk.dir.join("filler")).unwrap();
    wait_for_writes(&server.ann(), &documents[0]);
    let start = Instant::now();
    while disk.count_reserve_files() < 16 {
        assert!(start.elapsed() < MAX_RECOVERY_TIME, "the reserve is not created again");
        thread::sleep(Duration::from_millis(500));
        wait_for_writes(&server.ann(), &documents[0]);
    }
    assert_eq!(server.stop(), Some(0));
    drop(disk);
}

#[test]
#[ignore = "needs unshare and nsenter"]
fn only_the_reserve_permits_signing_in_after_a_start_on_a_full_disk() {
    let (disk, mut server) = prepare("size=60m,mode=700", &[("min_free", "8 MiB")]);
    server.start();
    let path = create_document(&server.ann());
    assert_eq!(server.stop(), Some(0));
    assert_eq!(disk.count_reserve_files(), 16);
    disk.fill();
    server.start();
    check_reads(&server.ann(), &path);
    check_sign_in(&server);
    assert_eq!(disk.count_reserve_files(), 0);
    assert_eq!(server.stop(), Some(0));
    // The control: without the reserve the server at most serves reads.
    disk.fill();
    if server.try_start().is_ok() {
        check_reads(&server.ann(), &path);
        let credentials = json!({ "email": "ann@example.org", "password": PASSWORD });
        server.guest().post("/api/v1/session", credentials).expect(507);
    }
    assert!(!server.has_panicked());
    drop(disk);
}

#[test]
#[ignore = "needs unshare and nsenter"]
fn a_disk_without_free_inodes_permits_reading_deleting_and_restarting() {
    let (disk, mut server) = prepare("size=80m,nr_inodes=400,mode=700", &[("min_free", "8 MiB")]);
    server.start();
    let (path, other) = (create_document(&server.ann()), create_document(&server.ann()));
    disk.fill_inodes();
    check_reads(&server.ann(), &path);
    check_sign_in(&server);
    assert_eq!(write_data(&server.ann(), &path, 10_000), 200, "the database needs no inode");
    assert_eq!(server.stop(), Some(0));
    disk.fill_inodes();
    server.start();
    check_reads(&server.ann(), &path);
    server.ann().delete(&format!("{other}?expunge=1")).expect(204);
    assert_eq!(write_data(&server.ann(), &path, 20_000), 200);
    assert_eq!(server.stop(), Some(0));
    drop(disk);
}

#[test]
#[ignore = "needs unshare and nsenter"]
fn a_user_who_fills_the_disk_can_empty_it_again() {
    let (disk, mut server) = prepare("size=96m,mode=700", &[("min_free", "16 MiB")]);
    server.start();
    let ann = server.ann();
    let path = create_document(&ann);
    assert_eq!(write_data(&ann, &path, 3_000_000), 200);
    // Copies do not fill the disk, because they share their records.
    let mut documents = Vec::new();
    let status = loop {
        let created = ann.post("/api/v1/create-document", json!({ "widget": "bar" }));
        if created.status != 200 {
            break created.status;
        }
        let id = created.json()["id"].as_str().unwrap().to_owned();
        documents.push(format!("/api/v1/users/{}/documents/{id}", ann.id));
        let status = write_data(&ann, &documents[documents.len() - 1], 3_000_000);
        if status != 200 {
            break status;
        }
        assert!(documents.len() < 100, "the disk is never full");
    };
    assert_eq!(status, 507);
    println!("full after {} documents of 3 MB", documents.len());
    check_reads(&ann, &path);
    for document in &documents {
        ann.delete(document).expect(204);
    }
    ann.delete(&format!("/api/v1/users/{}/trash", ann.id)).expect(204);
    // The pages of the deleted documents are used again.
    let document = create_document(&ann);
    assert_eq!(write_data(&ann, &document, 3_000_000), 200);
    assert_eq!(server.stop(), Some(0));
    drop(disk);
}
