//! Tests of power loss. From a recording of every write and fsync of a real run, the tests build
//! disk images as a crash at any moment may leave them. Each image must open, be consistent, and
//! hold every acknowledged write.
//!
//! `CHARTROOM_CRASH_IMAGES` sets the number of images (default 100). `CHARTROOM_CRASH_SEED` repeats
//! the random choices of a run. The recording differs from run to run, because threads do.

mod disk;
mod program;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

use chartroom::features::documents;
use chartroom_platform::db::Db;
use chartroom_platform::doctor;

use crate::rows;
use disk::Chance;
use disk::Disk;
use disk::Record;

/// Number of writes of each of the four writers in the recorded program.
const WRITES: usize = 150;

struct Recording {
    // Keeps the directory of the recorded program until the test ends.
    _dir: tempfile::TempDir,
    data: PathBuf,
    answers: String,
    records: Vec<Record>,
}

/// Findings about the images.
#[derive(Debug, Default)]
struct Damage {
    /// Images that do not open or in which the doctor finds an error.
    corrupt: usize,
    /// Images without a write that was acknowledged before the crash.
    lost: usize,
    /// First finding.
    example: String,
}

/// The recorded program, built once for all tests here.
fn writer() -> &'static Path {
    static BUILT: OnceLock<(tempfile::TempDir, PathBuf)> = OnceLock::new();
    let (_, path) = BUILT.get_or_init(|| {
        let dir = tempfile::tempdir().unwrap();
        let path = program::build(dir.path());
        (dir, path)
    });
    path
}

fn record(synchronous: &str, full_after: Option<usize>) -> Recording {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    fs::create_dir(&data).unwrap();
    let (journal, answers) = (dir.path().join("journal"), data.join("chartroom.answers"));
    let mut run = Command::new(writer());
    run.arg(&data).arg(&answers).arg(WRITES.to_string()).arg(synchronous);
    run.env("CHARTROOM_SHIM_DIR", &data).env("CHARTROOM_SHIM_JOURNAL", &journal);
    if let Some(bytes) = full_after {
        run.env("CHARTROOM_SHIM_FULL", bytes.to_string());
    }
    let output = run.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let records = disk::read(&journal);
    assert!(records.len() > 500, "only {} operations were recorded", records.len());
    let answers = fs::read_to_string(answers).unwrap();
    Recording { _dir: dir, data, answers, records }
}

/// Returns the number of acknowledged records per document, from lines `<document> <number>`.
fn answered(text: &str) -> BTreeMap<String, i64> {
    let mut counts = BTreeMap::new();
    for line in text.lines().filter(|line| !line.starts_with('!')) {
        let (document, number) = line.split_once(' ').unwrap();
        let number: i64 = number.parse().unwrap();
        let count = counts.entry(document.to_owned()).or_insert(0);
        *count = (*count).max(number + 1);
    }
    counts
}

/// Opens the data as a restarted program would and returns the errors found.
fn examine(dir: &Path, answered: &BTreeMap<String, i64>, damage: &mut Damage) {
    let mut note = |corrupt: bool, text: String| {
        if damage.example.is_empty() {
            damage.example = text;
        }
        *(if corrupt { &mut damage.corrupt } else { &mut damage.lost }) += 1;
    };
    let db = match Db::open(dir) {
        Ok(db) => db,
        Err(error) => return note(true, error.operator_message()),
    };
    for (document, count) in answered {
        match db.read(|tx| rows::count(tx, document)) {
            Ok(found) if found >= *count => {}
            Ok(found) => return note(false, format!("{document}: {found} of {count} records")),
            Err(error) => return note(true, error.operator_message()),
        }
    }
    // The image files belong to the test, so their permissions do not matter.
    let bad: Vec<_> = doctor::run_checks(dir, false, &[documents::HISTORY_CHECK])
        .unwrap()
        .into_iter()
        .filter(|check| !check.ok && check.name != "files.permissions")
        .collect();
    if !bad.is_empty() {
        return note(true, format!("{bad:?}"));
    }
    if let Err(error) = rows::write(&db, "after-the-crash") {
        note(true, error.operator_message());
    }
}

/// Builds and examines `images` disks at random moments of the recording.
fn crash(recording: &Recording, images: usize) -> Damage {
    let seed = std::env::var("CHARTROOM_CRASH_SEED").ok().and_then(|it| it.parse().ok());
    let mut chance = Chance(seed.unwrap_or_else(rand::random));
    println!("CHARTROOM_CRASH_SEED={}", chance.0);
    let mut moments: Vec<usize> =
        (0..images).map(|_| chance.below(recording.records.len() + 1)).collect();
    moments.sort_unstable();
    let (mut disk, mut done, mut damage) = (Disk::default(), 0, Damage::default());
    let mut answers = String::new();
    let mut answers_file = None;
    for moment in moments {
        for record in &recording.records[done..moment] {
            match record {
                Record::Open { file, path, .. } if path.ends_with(".answers") => {
                    answers_file = Some(*file);
                }
                Record::Write { file, bytes, .. } if Some(*file) == answers_file => {
                    answers.push_str(std::str::from_utf8(bytes).unwrap());
                }
                other => disk.apply(other),
            }
        }
        done = moment;
        let image = tempfile::tempdir().unwrap();
        disk.crash(&mut chance, image.path());
        examine(image.path(), &answered(&answers), &mut damage);
    }
    damage
}

fn images() -> usize {
    std::env::var("CHARTROOM_CRASH_IMAGES").ok().and_then(|it| it.parse().ok()).unwrap_or(100)
}

#[test]
fn a_crash_at_any_moment_loses_no_answered_write_and_damages_nothing() {
    let recording = record("full", None);
    assert!(!recording.answers.contains('!'));
    assert_eq!(answered(&recording.answers).len(), 4);
    let syncs = recording.records.iter().filter(|it| matches!(it, Record::SyncEnds { .. })).count();
    let images = images();
    let damage = crash(&recording, images);
    println!(
        "{images} images from {} operations and {syncs} syncs: {} corrupt, {} without an answered \
         write",
        recording.records.len(),
        damage.corrupt,
        damage.lost
    );
    assert_eq!((damage.corrupt, damage.lost), (0, 0), "{}", damage.example);
}

#[test]
fn the_same_search_finds_damage_when_nothing_is_synced() {
    let damage = crash(&record("off", None), images().min(200));
    println!("synchronous=off: {damage:?}");
    assert!(damage.lost > 0, "no answered write was lost: {damage:?}");
    assert!(damage.corrupt > 0, "nothing was damaged: {damage:?}");
}

#[test]
fn a_disk_that_fills_up_is_told_and_loses_nothing() {
    let recording = record("full", Some(1_500_000));
    assert!(recording.answers.contains("! full"), "no write was refused");
    let mut damage = Damage::default();
    let answered = answered(&recording.answers);
    assert!(!answered.is_empty());
    examine(&recording.data, &answered, &mut damage);
    assert_eq!((damage.corrupt, damage.lost), (0, 0), "{}", damage.example);
}
