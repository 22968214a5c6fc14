//! Tests of copies of documents, which share the records of their source until one of them changes.

use std::collections::BTreeMap;

use proptest::collection::vec;
use proptest::prelude::Strategy;
use proptest::prelude::any;
use proptest::prelude::prop;
use proptest::prop_oneof;
use proptest::test_runner::Config;
use proptest::test_runner::RngAlgorithm;
use proptest::test_runner::TestRng;
use proptest::test_runner::TestRunner;
use rusqlite::Connection;
use serde_json::Value;
use serde_json::json;

use crate::client::Client;
use crate::server_process::ServerProcess;

/// Returns the path of a new document of the caller with these records.
fn create_document(client: &Client<'_>, data: &Value) -> String {
    create_from(client, json!({ "widget": "bar" }), data)
}

/// Creates a document, replaces its records, and returns its path.
fn create_from(client: &Client<'_>, body: Value, data: &Value) -> String {
    let created = client.post("/api/v1/create-document", body).expect(200).json();
    let path = document_path(client, &created);
    client.put(&format!("{path}/data"), data.clone()).expect(200);
    path
}

/// Copies a document and returns the path of the copy.
fn copy_document(client: &Client<'_>, path: &str, action: &str) -> String {
    let copy = client.post(path, json!({ "action": action })).expect(200).json();
    document_path(client, &copy)
}

/// Creates a document from a template and returns its path.
fn create_from_template(client: &Client<'_>, template: &str) -> String {
    let body = json!({ "template": document_id(template) });
    let created = client.post("/api/v1/create-document", body).expect(200).json();
    document_path(client, &created)
}

/// Returns the path of a document of the caller from a response that contains its id.
fn document_path(client: &Client<'_>, response: &Value) -> String {
    format!("/api/v1/users/{}/documents/{}", client.id, response["id"].as_str().unwrap())
}

/// Returns the id at the end of the path of a document.
fn document_id(path: &str) -> &str {
    path.rsplit('/').next().unwrap()
}

/// Returns records with about `bytes` bytes of JSON.
fn records_of_size(bytes: usize) -> Value {
    let record = json!({ "label": "x".repeat(1000), "value": 1 });
    Value::Array(vec![record; bytes / 1024])
}

/// Returns the records of a document.
#[track_caller]
fn read_data(client: &Client<'_>, path: &str) -> Value {
    client.get(path).expect(200).json()["data"].take()
}

/// Returns the number in the first column of the first row.
fn query_number(server: &ServerProcess, sql: &str) -> i64 {
    let database = Connection::open(server.data_dir().join("chartroom.db")).unwrap();
    database.query_row(sql, [], |row| row.get(0)).unwrap()
}

/// Returns the number of rows with records.
fn count_chunks(server: &ServerProcess) -> i64 {
    query_number(server, "select count(*) from chunk")
}

/// Restores a version of a document.
#[track_caller]
fn restore_version(client: &Client<'_>, path: &str, number: u64) {
    client.send("POST", &format!("{path}/history/{number}/restore"), None).expect(200);
}

/// Deletes everything in the trash of the caller permanently.
fn empty_trash(client: &Client<'_>) {
    client.delete(&format!("/api/v1/users/{}/trash", client.id)).expect(204);
}

/// Panics if `doctor` finds a problem.
#[track_caller]
fn check_with_doctor(server: &ServerProcess) {
    let checks = server.run_json(&["doctor"]);
    assert_eq!(checks["ok"], true, "{checks}");
}

#[test]
fn a_hundred_forks_of_a_large_document_hardly_grow_the_database() {
    let server = ServerProcess::new();
    let ann = server.ann();
    let data = records_of_size(3 << 20);
    let source = create_document(&ann, &data);
    let database_bytes = || {
        let pages = query_number(&server, "select page_count from pragma_page_count");
        pages * query_number(&server, "select page_size from pragma_page_size")
    };
    let before = (database_bytes(), count_chunks(&server));
    let mut copy = String::new();
    for _ in 0..100 {
        copy = copy_document(&ann, &source, "fork");
    }
    let growth = database_bytes() - before.0;
    println!("100 forks of 3 MiB grow the database by {growth} bytes");
    assert!(growth < 2 << 20, "{growth}");
    assert_eq!(count_chunks(&server), before.1);
    assert!(read_data(&ann, &copy) == data);
    // The limit of an account counts each copy with all its records.
    let used = ann.get("/api/v1/user").expect(200).json()["storage_used_bytes"].as_i64().unwrap();
    assert!(used > 100 * 3_000_000, "{used}");
    check_with_doctor(&server);
}

#[test]
fn every_kind_of_copy_shares_the_records_of_its_source() {
    let server = ServerProcess::new();
    let ann = server.ann();
    let data = records_of_size(100_000);
    let source = create_from(&ann, json!({ "widget": "bar", "folder": "/Sales" }), &data);
    let chunks = count_chunks(&server);
    let mut copies = vec![
        copy_document(&ann, &source, "fork"),
        copy_document(&ann, &source, "duplicate"),
        create_from_template(&ann, &source),
    ];
    copies.push(copy_document(&ann, &copies[0], "fork"));
    let folder = format!("/api/v1/users/{}/folders/Sales", ann.id);
    ann.post(&folder, json!({ "action": "duplicate" })).expect(200);
    let list = format!("/api/v1/users/{}/list/Sales%202?limit=100", ann.id);
    for entry in ann.get(&list).expect(200).json()["results"].as_array().unwrap() {
        copies.push(document_path(&ann, &entry["document"]));
    }
    assert_eq!(copies.len(), 8, "{copies:?}");
    assert_eq!(count_chunks(&server), chunks);
    for copy in &copies {
        assert!(read_data(&ann, copy) == data, "{copy}");
    }
    check_with_doctor(&server);
}

/// A change of a document, given its path and a new record.
type Change = fn(&Client<'_>, &str, &Value);

/// Changes of the records of a document, and its removal.
const CHANGES: [(&str, Change); 7] = [
    ("append", |ann, path, record| {
        ann.post(&format!("{path}/add-record"), record.clone()).expect(204);
    }),
    ("replace the last record", |ann, path, record| {
        let mut data = read_data(ann, path);
        *data.as_array_mut().unwrap().last_mut().unwrap() = record.clone();
        ann.put(&format!("{path}/data"), data).expect(200);
    }),
    ("replace all records", |ann, path, record| {
        ann.put(&format!("{path}/data"), json!([record])).expect(200);
    }),
    ("save without records", |ann, path, _| {
        ann.put(path, json!({ "title": "T", "data": [] })).expect(200);
    }),
    ("restore", |ann, path, record| {
        let version = ann.get(path).expect(200).json()["history_version"].as_u64().unwrap();
        ann.post(path, json!({ "action": "close" })).expect(204);
        ann.put(&format!("{path}/data"), json!([record, record])).expect(200);
        restore_version(ann, path, version);
    }),
    ("delete", |ann, path, _| {
        ann.delete(&format!("{path}?expunge=1")).expect(204);
    }),
    ("purge from the trash", |ann, path, _| {
        ann.delete(path).expect(204);
        empty_trash(ann);
    }),
];

#[test]
fn a_change_of_the_source_or_of_the_copy_never_changes_the_other() {
    let server = ServerProcess::new();
    let ann = server.ann();
    let data = records_of_size(50_000);
    let record = json!({ "label": "new", "value": 2 });
    for (name, change) in CHANGES {
        for is_source_changed in [true, false] {
            let source = create_document(&ann, &data);
            let copy = copy_document(&ann, &source, "fork");
            let (changed, kept) =
                if is_source_changed { (&source, &copy) } else { (&copy, &source) };
            change(&ann, changed, &record);
            assert!(read_data(&ann, kept) == data, "{name}: {is_source_changed}");
            // A second change writes to the records that the document now has alone.
            if ann.get(changed).status == 200 {
                ann.post(&format!("{changed}/add-record"), record.clone()).expect(204);
                let end = read_data(&ann, changed);
                assert_eq!(end.as_array().unwrap().last(), Some(&record), "{name}");
                ann.delete(&format!("{changed}?expunge=1")).expect(204);
            }
            assert!(read_data(&ann, kept) == data, "{name}: {is_source_changed}");
            check_with_doctor(&server);
            ann.delete(&format!("{kept}?expunge=1")).expect(204);
            assert_eq!(count_chunks(&server), 0, "{name}: {is_source_changed}");
        }
    }
}

#[test]
fn the_last_document_with_the_records_frees_them() {
    let server = ServerProcess::new();
    let ann = server.ann();
    let data = records_of_size(100_000);
    let source = create_from(&ann, json!({ "widget": "bar", "folder": "/Sales" }), &data);
    let copies: Vec<String> = (0..3).map(|_| copy_document(&ann, &source, "fork")).collect();
    let chunks = count_chunks(&server);
    assert!(chunks > 20, "{chunks}");
    // A record more in one copy makes it independent, with all chunks of its own.
    ann.post(&format!("{}/add-record", copies[0]), json!({ "label": "a", "value": 1 })).expect(204);
    assert!(count_chunks(&server) >= 2 * chunks, "{}", count_chunks(&server));
    ann.delete(&format!("{source}?expunge=1")).expect(204);
    for copy in &copies[1..] {
        assert!(read_data(&ann, copy) == data);
    }
    check_with_doctor(&server);
    // A replacement of all records writes only the new ones.
    ann.put(&format!("{}/data", copies[1]), json!([])).expect(200);
    ann.put(&format!("{}/data", copies[0]), json!([])).expect(200);
    assert_eq!(count_chunks(&server), chunks);
    assert!(read_data(&ann, &copies[2]) == data);
    // The deletion of a folder deletes its documents by cascade.
    let folder = format!("/api/v1/users/{}/folders/Sales", ann.id);
    ann.delete(&format!("{folder}?expunge=1")).expect(204);
    assert_eq!(query_number(&server, "select count(*) from document"), 0);
    assert_eq!(count_chunks(&server), 0);
    check_with_doctor(&server);
}

#[test]
fn a_copy_of_an_older_version_has_records_of_its_own() {
    let server = ServerProcess::new();
    let ann = server.ann();
    let data = records_of_size(50_000);
    let source = create_document(&ann, &data);
    ann.post(&source, json!({ "action": "close" })).expect(204);
    let version = ann.get(&source).expect(200).json()["history_version"].as_u64().unwrap();
    ann.put(&format!("{source}/data"), json!([{ "label": "new", "value": 1 }])).expect(200);
    let chunks = count_chunks(&server);
    let copy = ann.post(&source, json!({ "action": "fork", "history_version": version }));
    let copy = document_path(&ann, &copy.expect(200).json());
    assert!(read_data(&ann, &copy) == data);
    assert!(count_chunks(&server) > chunks + 10);
    ann.delete(&format!("{copy}?expunge=1")).expect(204);
    assert_eq!(count_chunks(&server), chunks);
    check_with_doctor(&server);
}

/// A change of one of the documents. An index selects the document.
#[derive(Debug, Clone)]
enum CopyStep {
    /// Creates a document with this many records.
    Create(usize),
    /// Copies a document: 0 forks it, 1 duplicates it, 2 uses it as template.
    Copy { document: prop::sample::Index, way: u8 },
    /// Appends records with labels of this length.
    Append { document: prop::sample::Index, label_chars: usize },
    /// Keeps the first `kept` percent of the records and replaces the others.
    Replace { document: prop::sample::Index, kept: usize, added: usize },
    /// Restores one of the versions.
    Restore { document: prop::sample::Index, version: prop::sample::Index },
    /// Moves a document to the trash and restores it.
    Trash(prop::sample::Index),
    /// Deletes a document permanently.
    Delete(prop::sample::Index),
}

fn step_strategy() -> impl Strategy<Value = CopyStep> {
    let document = any::<prop::sample::Index>;
    prop_oneof![
        1 => (0..60_usize).prop_map(CopyStep::Create),
        4 => (document(), 0..3_u8).prop_map(|(document, way)| CopyStep::Copy { document, way }),
        3 => (document(), 1..3000_usize)
            .prop_map(|(document, label_chars)| CopyStep::Append { document, label_chars }),
        2 => (document(), 0..=100_usize, 0..30_usize)
            .prop_map(|(document, kept, added)| CopyStep::Replace { document, kept, added }),
        2 => (document(), document())
            .prop_map(|(document, version)| CopyStep::Restore { document, version }),
        1 => document().prop_map(CopyStep::Trash),
        2 => document().prop_map(CopyStep::Delete),
    ]
}

/// The expected records of each document: those of all versions, the newest last.
type Model = BTreeMap<String, Vec<Vec<Value>>>;

/// Sends the request of a step, and applies the step to the model. `number` makes labels unique.
fn apply_step(ann: &Client<'_>, model: &mut Model, step: &CopyStep, number: usize) {
    let paths: Vec<String> = model.keys().cloned().collect();
    let choose = |index: &prop::sample::Index| paths[index.index(paths.len())].clone();
    match step {
        CopyStep::Create(count) => {
            let data = create_records(number, *count, 300);
            let path = create_document(ann, &Value::Array(data));
            let versions = read_versions(ann, &path);
            model.insert(path, versions);
        }
        _ if paths.is_empty() => {}
        CopyStep::Copy { document, way } => {
            let source = choose(document);
            let copy = match way {
                0 => copy_document(ann, &source, "fork"),
                1 => copy_document(ann, &source, "duplicate"),
                _ => create_from_template(ann, &source),
            };
            let newest = model[&source].last().unwrap().clone();
            model.insert(copy, vec![newest]);
        }
        CopyStep::Append { document, .. }
        | CopyStep::Replace { document, .. }
        | CopyStep::Restore { document, .. } => {
            let path = choose(document);
            let data = send_save(ann, &path, &model[&path], step, number);
            save(ann, model.get_mut(&path).unwrap(), &path, data);
        }
        CopyStep::Trash(document) => {
            let path = choose(document);
            ann.delete(&path).expect(204);
            ann.post(&path, json!({ "action": "restore" })).expect(204);
        }
        CopyStep::Delete(document) => {
            let path = choose(document);
            ann.delete(&format!("{path}?expunge=1")).expect(204);
            model.remove(&path);
        }
    }
}

/// Returns records with labels of about this length. `number` makes them unique.
fn create_records(number: usize, count: usize, label_chars: usize) -> Vec<Value> {
    let label = |index: usize| format!("{number} {index} {}", "x".repeat(label_chars));
    (0..count).map(|index| json!({ "label": label(index), "value": index })).collect()
}

/// Sends a step that changes the records of the document at `path`. Returns its expected records.
fn send_save(
    ann: &Client<'_>,
    path: &str,
    versions: &[Vec<Value>],
    step: &CopyStep,
    number: usize,
) -> Vec<Value> {
    let mut data = versions.last().unwrap().clone();
    match step {
        CopyStep::Append { label_chars, .. } => {
            let record = create_records(number, 1, *label_chars).remove(0);
            ann.post(&format!("{path}/add-record"), record.clone()).expect(204);
            data.push(record);
        }
        CopyStep::Replace { kept, added, .. } => {
            data.truncate(data.len() * kept / 100);
            data.extend(create_records(number, *added, 300));
            ann.put(&format!("{path}/data"), Value::Array(data.clone())).expect(200);
        }
        CopyStep::Restore { version, .. } => {
            let index = version.index(versions.len());
            restore_version(ann, path, index as u64 + 1);
            data.clone_from(&versions[index]);
        }
        other => panic!("{other:?} is not a save"),
    }
    data
}

/// Applies a save to the versions of the model, after adding a version if the server did. Then
/// closes the version on the server, so that the next save starts a new one.
fn save(ann: &Client<'_>, versions: &mut Vec<Vec<Value>>, path: &str, data: Vec<Value>) {
    let number = ann.get(path).expect(200).json()["history_version"].as_u64().unwrap();
    if number as usize > versions.len() {
        versions.push(data);
    } else {
        assert_eq!(*versions.last().unwrap(), data, "only an unchanged document has no version");
    }
    ann.post(path, json!({ "action": "close" })).expect(204);
}

/// Closes the newest version of a document, and returns the records of all versions.
fn read_versions(ann: &Client<'_>, path: &str) -> Vec<Vec<Value>> {
    ann.post(path, json!({ "action": "close" })).expect(204);
    let newest = ann.get(path).expect(200).json()["history_version"].as_u64().unwrap();
    let read = |number: u64| {
        let version = ann.get(&format!("{path}/history/{number}")).expect(200).json();
        version["data"].as_array().unwrap().clone()
    };
    (1..=newest).map(read).collect()
}

#[test]
fn any_sequence_of_copies_and_changes_keeps_each_document() {
    const SEED: [u8; 32] = *b"copies share records until saved";
    let config = Config { cases: 4, failure_persistence: None, ..Config::default() };
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &SEED);
    TestRunner::new_with_rng(config, rng)
        .run(&vec(step_strategy(), 40..60), |steps| {
            let server = ServerProcess::new();
            let ann = server.ann();
            let mut model = Model::new();
            apply_step(&ann, &mut model, &CopyStep::Create(40), 0);
            for (number, step) in steps.iter().enumerate() {
                apply_step(&ann, &mut model, step, number + 1);
                for (path, versions) in &model {
                    let data = read_data(&ann, path);
                    assert!(data.as_array() == versions.last(), "{number} {step:?}: {path}");
                }
                let contents =
                    "select count(distinct content) from document where record_count > 0";
                let stored = "select count(distinct content) from chunk";
                let (expected, stored) =
                    (query_number(&server, contents), query_number(&server, stored));
                assert_eq!(stored, expected, "{number} {step:?}");
            }
            check_with_doctor(&server);
            for path in model.keys() {
                ann.delete(&format!("{path}?expunge=1")).expect(204);
            }
            assert_eq!(count_chunks(&server), 0);
            Ok(())
        })
        .unwrap();
}
