//! Tests of power loss. From a recording of every write and fsync of a real run, the tests build
//! disk images as a crash at any moment may leave them. Each image must open, be consistent, and
//! hold every acknowledged write.
//!
//! `CHARTROOM_CRASH_IMAGES` sets the number of images (default 100). `CHARTROOM_CRASH_SEED` repeats
//! the random choices of a run. The recording differs from run to run, because threads do.

mod disk;
pub mod program;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

use chartroom::features::documents;
use chartroom_platform::db::Db;
use chartroom_platform::doctor;

use crate::storage_rows;
use disk::Disk;
use disk::Record;
use disk::SeededRandom;

/// Number of writes of each of the four writers in the recorded program.
const WRITES_PER_WRITER: usize = 150;

/// The disk operations of a run of the writer program.
struct Recording {
    // Keeps the directory of the recorded program until the test ends.
    _dir: tempfile::TempDir,
    /// Data directory of the recorded program.
    data: PathBuf,
    /// Lines that the program wrote for acknowledged and refused writes.
    acknowledgments: String,
    /// Recorded operations in order.
    records: Vec<Record>,
}

/// Findings about the images.
#[derive(Debug, Default)]
struct CrashFindings {
    /// Images that do not open or in which the doctor finds an error.
    corrupt_count: usize,
    /// Images without a write that was acknowledged before the crash.
    lost_count: usize,
    /// First finding.
    first_finding: String,
}

/// Returns the path of the writer program. The first call builds it.
fn writer_program() -> &'static Path {
    static BUILT: OnceLock<(tempfile::TempDir, PathBuf)> = OnceLock::new();
    let (_, path) = BUILT.get_or_init(|| {
        let dir = tempfile::tempdir().unwrap();
        let path = program::build("crash_writer", dir.path());
        (dir, path)
    });
    path
}

/// Runs the writer program and returns the recording. `synchronous` is `full` or `off`. The disk is
/// full after `full_after_bytes` bytes, or never if None.
fn record_run(synchronous: &str, full_after_bytes: Option<usize>) -> Recording {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    fs::create_dir(&data).unwrap();
    let (journal, acknowledgments) = (dir.path().join("journal"), data.join("chartroom.answers"));
    let mut command = Command::new(writer_program());
    command.arg(&data).arg(&acknowledgments).arg(WRITES_PER_WRITER.to_string()).arg(synchronous);
    command.env("SHIM_DIR", &data).env("SHIM_JOURNAL", &journal);
    if let Some(bytes) = full_after_bytes {
        command.env("SHIM_FULL", bytes.to_string());
    }
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let records = disk::read_journal(&journal);
    assert!(records.len() > 500, "only {} operations were recorded", records.len());
    let acknowledgments = fs::read_to_string(acknowledgments).unwrap();
    Recording { _dir: dir, data, acknowledgments, records }
}

/// Returns the number of acknowledged records per document, from lines `<document> <number>`.
fn acknowledged_counts(text: &str) -> BTreeMap<String, i64> {
    let mut counts = BTreeMap::new();
    for line in text.lines().filter(|line| !line.starts_with('!')) {
        let (document, number) = line.split_once(' ').unwrap();
        let number: i64 = number.parse().unwrap();
        let count = counts.entry(document.to_owned()).or_insert(0);
        *count = (*count).max(number + 1);
    }
    counts
}

/// Opens the data as a restarted program would, and adds the first error to `findings`.
fn check_image(dir: &Path, acknowledged: &BTreeMap<String, i64>, findings: &mut CrashFindings) {
    let mut add_finding = |corrupt: bool, text: String| {
        if findings.first_finding.is_empty() {
            findings.first_finding = text;
        }
        *(if corrupt { &mut findings.corrupt_count } else { &mut findings.lost_count }) += 1;
    };
    let db = match Db::open(dir) {
        Ok(db) => db,
        Err(error) => return add_finding(true, error.operator_message()),
    };
    for (document, count) in acknowledged {
        match db.read(|tx| storage_rows::count_records(tx, document)) {
            Ok(stored) if stored >= *count => {}
            Ok(stored) => {
                return add_finding(false, format!("{document}: {stored} of {count} records"));
            }
            Err(error) => return add_finding(true, error.operator_message()),
        }
    }
    // The image files belong to the test, so their permissions do not matter.
    let failed_checks: Vec<_> = doctor::run_checks(dir, false, &[documents::HISTORY_CHECK])
        .unwrap()
        .into_iter()
        .filter(|check| !check.ok && check.name != "files.permissions")
        .collect();
    if !failed_checks.is_empty() {
        return add_finding(true, format!("{failed_checks:?}"));
    }
    if let Err(error) = storage_rows::write_record(&db, "after-the-crash") {
        add_finding(true, error.operator_message());
    }
}

/// Builds disk images at `image_count` random moments of the recording and returns the findings.
fn simulate_crashes(recording: &Recording, image_count: usize) -> CrashFindings {
    let seed = std::env::var("CHARTROOM_CRASH_SEED").ok().and_then(|text| text.parse().ok());
    let mut random = SeededRandom(seed.unwrap_or_else(rand::random));
    println!("CHARTROOM_CRASH_SEED={}", random.0);
    let mut moments: Vec<usize> =
        (0..image_count).map(|_| random.below(recording.records.len() + 1)).collect();
    moments.sort_unstable();
    let (mut disk, mut applied, mut findings) = (Disk::default(), 0, CrashFindings::default());
    let mut acknowledgments = String::new();
    let mut acknowledgments_file = None;
    for moment in moments {
        for record in &recording.records[applied..moment] {
            match record {
                Record::Open { file, path, .. } if path.ends_with(".answers") => {
                    acknowledgments_file = Some(*file);
                }
                Record::Write { file, bytes, .. } if Some(*file) == acknowledgments_file => {
                    acknowledgments.push_str(std::str::from_utf8(bytes).unwrap());
                }
                other => disk.apply(other),
            }
        }
        applied = moment;
        let image = tempfile::tempdir().unwrap();
        disk.write_crash_image(&mut random, image.path());
        check_image(image.path(), &acknowledged_counts(&acknowledgments), &mut findings);
    }
    findings
}

/// Returns the number of images from `CHARTROOM_CRASH_IMAGES`, or 100.
fn image_count() -> usize {
    std::env::var("CHARTROOM_CRASH_IMAGES").ok().and_then(|text| text.parse().ok()).unwrap_or(100)
}

#[test]
fn crash_loses_no_acknowledged_write_and_corrupts_nothing() {
    let recording = record_run("full", None);
    assert!(!recording.acknowledgments.contains('!'));
    assert_eq!(acknowledged_counts(&recording.acknowledgments).len(), 4);
    let syncs =
        recording.records.iter().filter(|record| matches!(record, Record::SyncEnds { .. })).count();
    let images = image_count();
    let findings = simulate_crashes(&recording, images);
    println!(
        "{images} images from {} operations and {syncs} syncs: {} corrupt, {} without an \
         acknowledged write",
        recording.records.len(),
        findings.corrupt_count,
        findings.lost_count
    );
    assert_eq!((findings.corrupt_count, findings.lost_count), (0, 0), "{}", findings.first_finding);
}

#[test]
fn simulation_detects_damage_without_fsync() {
    let findings = simulate_crashes(&record_run("off", None), image_count().min(200));
    println!("synchronous=off: {findings:?}");
    assert!(findings.lost_count > 0, "no acknowledged write was lost: {findings:?}");
    assert!(findings.corrupt_count > 0, "no image is corrupt: {findings:?}");
}

#[test]
fn full_disk_is_reported_and_loses_nothing() {
    let recording = record_run("full", Some(1_500_000));
    assert!(recording.acknowledgments.contains("! full"), "no write was refused");
    let mut findings = CrashFindings::default();
    let acknowledged = acknowledged_counts(&recording.acknowledgments);
    assert!(!acknowledged.is_empty());
    check_image(&recording.data, &acknowledged, &mut findings);
    assert_eq!((findings.corrupt_count, findings.lost_count), (0, 0), "{}", findings.first_finding);
}
