//! Tests of the subcommands as processes: output and exit codes.

pub mod external_servers;
mod settings;

use std::fs;
use std::path::Path;
use std::process::Output;

use serde_json::Value;
use serde_json::json;

use crate::charts::fonts::TEST_FAMILY;
use crate::charts::fonts::create_test_font;
use crate::server_process::ServerProcess;
use crate::server_process::parse_json_output;
use crate::server_process::run_program;

/// Returns a temporary directory, and the path of a data directory in it that does not exist yet.
fn new_data_dir() -> (tempfile::TempDir, std::path::PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    (dir, data)
}

/// Returns the standard error of a command. Panics if the exit code is another one.
#[track_caller]
fn expect_exit_code(output: &Output, code: i32) -> String {
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{stderr}");
    stderr
}

/// Returns the error messages that a command printed as JSON. Panics if the exit code is another
/// one.
#[track_caller]
fn expect_errors(output: &Output, code: i32) -> Vec<String> {
    let output: Value = serde_json::from_str(&expect_exit_code(output, code)).unwrap();
    output["errors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|error| error.as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn wrong_usage_exits_with_code_2() {
    let (_dir, data) = new_data_dir();
    for arguments in [
        &["frobnicate"][..],
        &["backup"],
        &["user", "create", "--email", "ann@example.org"],
        &["render", "a.json", "-o", "a.gif"],
        &["render", "a.json", "-o", "a.png", "--scale", "9"],
        &["render", "a.json", "-o", "a.svg", "--text", "paths"],
        &["serve", "--demo", "--data-dir", "x"],
    ] {
        expect_exit_code(&run_program(&data, &[], arguments, ""), 2);
    }
    let help = run_program(&data, &[], &["--help"], "");
    assert!(help.status.success());
    assert!(String::from_utf8_lossy(&help.stdout).contains("healthcheck"));
}

#[test]
fn setup_link_is_printed_only_without_users() {
    let mut server = ServerProcess::without_users();
    let link = server.startup_output["setup_link"].as_str().unwrap().to_owned();
    assert!(link.starts_with(&format!("{}/setup/", server.base_url)), "{link}");
    let written = fs::read_to_string(server.data_dir().join("setup-link.txt")).unwrap();
    assert_eq!(written.trim(), link);
    assert_eq!(permission_bits(&server.data_dir().join("setup-link.txt")), 0o600);
    assert_eq!(permission_bits(server.data_dir()), 0o700);
    server.run_json(&["user", "create", "--email", "ann@example.org", "--name", "Ann"]);
    assert_eq!(server.stop(), Some(0));
    server.start();
    assert_eq!(server.startup_output["setup_link"], Value::Null);
}

#[test]
fn users_and_orgs_can_be_created_before_the_first_start() {
    let (_dir, data) = new_data_dir();
    let create = ["user", "create", "--email", "ann@example.org", "--name", "Ann", "--operator"];
    let user = parse_json_output(&run_program(&data, &[], &create, ""));
    assert_eq!(user["email"], "ann@example.org");
    assert!(user["id"].is_string());
    let token = parse_json_output(&run_program(
        &data,
        &[],
        &["user", "token", "ann@example.org", "--name", "t"],
        "",
    ));
    assert!(token["token"].as_str().unwrap().starts_with("chartroom_"), "{token}");
    let create =
        ["org", "create", "--name", "Org", "--slug", "org", "--plan", "team", "--seats", "3"];
    let org = parse_json_output(&run_program(&data, &[], &create, ""));
    assert_eq!(org["slug"], "org");
    assert!(org["id"].is_string());
    assert_eq!(permission_bits(&data), 0o700);
}

#[test]
fn second_server_on_the_same_data_is_refused() {
    let server = ServerProcess::new();
    let second = server.run_command(&["serve", "--listen", "127.0.0.1:0"]);
    let errors = expect_errors(&second, 1);
    assert!(errors[0].contains("another server is running"), "{errors:?}");
}

#[test]
fn listen_address_in_use_is_reported() {
    let server = ServerProcess::new();
    let (_dir, data) = new_data_dir();
    let used_address = server.startup_output["listen"].as_str().unwrap();
    let errors =
        expect_errors(&run_program(&data, &[], &["serve", "--listen", used_address], ""), 1);
    assert!(errors[0].starts_with("listen: cannot listen on"), "{errors:?}");
}

#[test]
fn healthcheck_detects_whether_a_server_runs() {
    let mut server = ServerProcess::new();
    let response = server.run_json(&["healthcheck"]);
    assert_eq!(response, json!({ "ready": true, "address": server.base_url }));
    // The address file of a killed server does not count as a running server.
    server.kill();
    let errors = expect_errors(&server.run_command(&["healthcheck"]), 1);
    assert!(errors[0].contains("does not respond"), "{errors:?}");
    server.start();
    server.run_json(&["healthcheck"]);
}

#[test]
fn healthcheck_uses_the_configured_address_without_a_server() {
    let (_dir, data) = new_data_dir();
    // No program listens on port 9 (discard).
    let output = run_program(&data, &[("listen", "127.0.0.1:9")], &["healthcheck"], "");
    let errors = expect_errors(&output, 1);
    assert!(errors[0].contains("does not respond"), "{errors:?}");
}

#[test]
fn clean_stop_removes_address_file_and_empties_the_write_ahead_log() {
    let mut server = ServerProcess::new();
    server.ann().post("/api/v1/create-document", json!({ "widget": "bar" })).expect(200);
    assert!(server.data_dir().join("address").exists());
    assert_eq!(server.stop(), Some(0));
    assert!(!server.data_dir().join("address").exists());
    let wal = fs::metadata(server.data_dir().join("chartroom.db-wal"));
    assert!(wal.map_or(0, |metadata| metadata.len()) == 0, "the write-ahead log is not empty");
}

#[test]
fn backup_can_be_created_verified_and_restored() {
    let mut server = ServerProcess::new();
    let created = server.run_json(&["backup", "create"]);
    let path = created["path"].as_str().unwrap().to_owned();
    assert_eq!(server.run_json(&["backup", "list"])[0]["path"], path.as_str());
    assert_eq!(server.run_json(&["backup", "verify", &path])["schema_version"], 12);
    server.run_json(&["user", "edit", "ann@example.org", "--name", "Somebody else"]);
    let refused = expect_errors(&server.run_command(&["backup", "restore", &path]), 1);
    assert!(refused[0].contains("is in use"), "{refused:?}");
    assert_eq!(server.stop(), Some(0));
    let restored = server.run_json(&["backup", "restore", &path]);
    assert!(restored["kept"].is_string(), "{restored}");
    assert_eq!(server.run_json(&["user", "show", "ann@example.org"])["name"], "Ann");
    server.start();
    server.ann().get("/api/v1/user").expect(200);
    let removed = server.run_json(&["backup", "prune", "--keep", "1"]);
    assert_eq!(removed, json!({ "removed": [] }));

    let mut bytes = fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0xff;
    let damaged = server.data_dir().join("broken.tar.zst");
    fs::write(&damaged, bytes).unwrap();
    expect_exit_code(&server.run_command(&["backup", "verify", &damaged.display().to_string()]), 4);
}

#[test]
fn doctor_exits_with_code_4_for_a_damaged_database() {
    let mut server = ServerProcess::new();
    assert_eq!(server.run_json(&["doctor"])["ok"], true);
    assert_eq!(server.stop(), Some(0));
    let file = server.data_dir().join("chartroom.db");
    let mut bytes = fs::read(&file).unwrap();
    // The first page stays intact, so that the file is still a database.
    for byte in bytes.iter_mut().skip(9000).take(30_000) {
        *byte ^= 0x55;
    }
    fs::write(&file, bytes).unwrap();
    let output = server.run_command(&["doctor"]);
    expect_exit_code(&output, 4);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["ok"], false);
}

#[test]
fn migrate_status_reports_the_schema_version() {
    let (_dir, data) = new_data_dir();
    let status = parse_json_output(&run_program(&data, &[], &["migrate", "status"], ""));
    assert_eq!(status["version"], 0);
    parse_json_output(&run_program(&data, &[], &["migrate", "up"], ""));
    let status = parse_json_output(&run_program(&data, &[], &["migrate", "status"], ""));
    assert_eq!(status["version"], status["current"]);
    let dry = parse_json_output(&run_program(&data, &[], &["migrate", "up", "--dry-run"], ""));
    assert_eq!(dry, json!({ "steps": [], "dry_run": true }));
    let errors = expect_errors(&run_program(&data, &[], &["rollback"], ""), 1);
    assert!(errors[0].contains("snapshot"), "{errors:?}");
}

#[test]
fn render_command_renders_files_and_reports_errors() {
    let (dir, data) = new_data_dir();
    let file = |name: &str| dir.path().join(name).display().to_string();
    let document = json!({
        "plugin_id": "bar",
        "title": "Sales by region",
        "data": [{ "label": "North", "value": 3 }, { "label": "South", "value": 2 }],
    });
    fs::write(file("a.json"), document.to_string()).unwrap();
    let render = |output: &str| {
        run_program(&data, &[], &["render", &file("a.json"), "-o", &file(output)], "")
    };
    parse_json_output(&render("a.svg"));
    let svg = fs::read_to_string(file("a.svg")).unwrap();
    assert!(svg.starts_with("<svg") && svg.contains("Sales by region"));
    assert!(svg.contains("@font-face"), "a file must contain its fonts");
    let outlines = ["render", &file("a.json"), "-o", &file("a.svg"), "--text", "outlines"];
    parse_json_output(&run_program(&data, &[], &outlines, ""));
    assert!(!fs::read_to_string(file("a.svg")).unwrap().contains("<text"));
    parse_json_output(&render("a.png"));
    assert!(fs::read(file("a.png")).unwrap().starts_with(b"\x89PNG\r\n"));
    parse_json_output(&render("a.pdf"));
    assert!(fs::read(file("a.pdf")).unwrap().starts_with(b"%PDF-1.7"));
    assert!(!data.exists(), "rendering a file creates no data directory");

    let check = |document: Value, expected: &str| {
        fs::write(file("a.json"), document.to_string()).unwrap();
        let errors = expect_errors(&render("b.svg"), 1);
        assert!(errors[0].contains(expected), "{errors:?}");
        assert!(!Path::new(&file("b.svg")).exists());
    };
    check(json!({ "plugin_id": "nothing" }), "plugin_id: there is no such chart kind");
    check(
        json!({ "plugin_id": "bar", "theme": "neon" }),
        "theme: there is no theme named \"neon\"",
    );
    check(json!({ "plugin_id": "bar", "data": 5 }), "data: ");
    check(json!([]), "a.json: ");
}

#[test]
fn render_command_reports_the_problems_of_a_table() {
    let (dir, data) = new_data_dir();
    let table = dir.path().join("table.csv").display().to_string();
    let output = dir.path().join("out.svg").display().to_string();
    fs::write(&table, "Name,Sales,Sales\nA,1,2\nB,about 3,4\nC,5,6\n").unwrap();
    let arguments = ["render", &table, "-k", "grouped-column", "-o", &output];
    let report = parse_json_output(&run_program(&data, &[], &arguments, ""));
    assert_eq!(report["problems"][0]["text"], "about 3");
    assert_eq!(report["table"]["problems"][0]["cell"], "C1");
}

#[test]
fn render_command_reads_records_with_any_keys_as_a_table() {
    let (dir, data) = new_data_dir();
    let file = |name: &str| dir.path().join(name).display().to_string();
    let output = file("out.svg");
    let render = |name: &str| run_program(&data, &[], &["render", &file(name), "-o", &output], "");
    let visitors = r#"[{"Ort":"Graz","Besucher":12},{"Ort":"Linz","Besucher":null},{"Besucher":9,"Ort":"Wels"}]"#;
    fs::write(file("visitors.json"), visitors).unwrap();
    let report = parse_json_output(&render("visitors.json"));
    assert_eq!(report["kind"], "bar");
    let want = json!({ "column": "Besucher", "key": "value", "title": "Value", "by": "type" });
    assert_eq!(report["mapping"]["mapping"][1], want);
    let pie = run_program(
        &data,
        &[],
        &["render", &file("visitors.json"), "--kind", "pie", "-o", &output],
        "",
    );
    assert_eq!(parse_json_output(&pie)["mapping"]["mapping"][1], want);
    fs::write(file("nested.json"), r#"[{"label":"Graz","values":[1,2]}]"#).unwrap();
    let errors = expect_errors(&render("nested.json"), 1);
    assert!(errors[0].contains("kind: must be given, because the keys of records"), "{errors:?}");
}

#[test]
fn render_command_renders_tables() {
    let (dir, data) = new_data_dir();
    let file = |name: &str| dir.path().join(name).display().to_string();
    let table =
        "Umsatz 2024;;\n\nRegion;Umsatz;Notiz\nNord;1.284,5 €;a\nSüd;95,5 €;b\nWest;k. A.;c\n";
    fs::write(file("sales.csv"), table).unwrap();
    let render = |arguments: &[&str]| {
        let output = file("out.svg");
        let arguments = [&["render"], arguments, &["-o", &output]].concat();
        run_program(&data, &[], &arguments, "")
    };
    let sales = file("sales.csv");
    let arguments = [&sales, "--kind", "bar", "--title", "Sales", "--locale", "de"];
    let arguments = [&arguments[..], &["--width", "900", "--theme", "dark"]].concat();
    let report = parse_json_output(&render(&arguments));
    let label = json!({ "column": "Region", "key": "label", "title": "Label", "by": "synonym" });
    let value = json!({ "column": "Umsatz", "key": "value", "title": "Value", "by": "synonym" });
    assert_eq!(report["mapping"]["mapping"], json!([label, value]));
    assert_eq!(report["mapping"]["left_over"], json!(["Notiz"]));
    assert_eq!(report["table"]["header_row"], 3);
    let svg = fs::read_to_string(file("out.svg")).unwrap();
    assert!(svg.contains("width=\"900\"") && svg.contains("lang=\"de\""), "{svg}");
    for text in ["Sales", "Nord", "West", "1.284,50\u{a0}€", "95,50\u{a0}€"] {
        assert!(svg.contains(text), "no {text} in {svg}");
    }
    assert_eq!(parse_json_output(&render(&[&sales]))["kind"], "bar", "the best kind");
    assert!(fs::read_to_string(file("out.svg")).unwrap().contains("Umsatz 2024"), "the title");
    let rows = ('a'..='z').chain('A'..='P').map(|letter| format!("Village of {letter}son,1\n"));
    fs::write(file("long.csv"), format!("Name,Value\n{}", rows.collect::<String>())).unwrap();
    parse_json_output(&render(&[&file("long.csv"), "-k", "bar"]));
    let svg = fs::read_to_string(file("out.svg")).unwrap();
    assert!(!svg.contains("height=\"405\"") && svg.contains(">Village of Json<"), "{svg}");
    parse_json_output(&render(&[&file("long.csv"), "-k", "bar", "--height", "405"]));
    assert!(fs::read_to_string(file("out.svg")).unwrap().contains("height=\"405\""));

    fs::write(file("rows.json"), r#"[["City","Visitors"],["Graz",12],["Linz",9]]"#).unwrap();
    assert_eq!(parse_json_output(&render(&[&file("rows.json"), "-k", "pie"]))["kind"], "pie");
    fs::write(file("records.json"), r#"[{"label":"Graz","value":12}]"#).unwrap();
    parse_json_output(&render(&[&file("records.json"), "-k", "pie"]));

    let check = |arguments: &[&str], expected: &str| {
        let errors = expect_errors(&render(arguments), 1);
        assert!(errors[0].contains(expected), "{errors:?}");
    };
    check(&[&sales, "-k", "pei"], "kind: there is no kind \"pei\"");
    check(&[&sales, "--sheet", "Q1"], "sheet: must be absent");
    check(&[&file("records.json"), "--sheet", "Q1"], "sheet: must be absent");
    check(&[&file("records.json"), "-k", "pie", "--sheet", "Q1"], "sheet: must be absent");
    fs::write(file("a.json"), r#"{"plugin_id":"bar"}"#).unwrap();
    check(
        &[&file("a.json"), "--title", "T"],
        "file: must be a table, because --title is for tables",
    );
}

#[test]
fn fonts_in_the_data_directory_are_used() {
    let (dir, data) = new_data_dir();
    let file = |name: &str| dir.path().join(name).display().to_string();
    let theme =
        json!({ "fonts": { "body": { "family": TEST_FAMILY }, "title": { "family": "None" } } });
    let document = json!({ "plugin_id": "bar", "title": "Sales", "custom_theme": theme,
        "data": [{ "label": "North", "value": 3 }, { "label": "South", "value": 2 }] });
    fs::write(file("a.json"), document.to_string()).unwrap();
    fs::create_dir_all(data.join("fonts")).unwrap();
    fs::write(data.join("fonts/b.ttf"), create_test_font(notosans::REGULAR_TTF)).unwrap();
    fs::write(data.join("fonts/a.otf"), "no font").unwrap();
    fs::write(data.join("fonts/OFL.txt"), "license").unwrap();
    let warnings = parse_json_output(&run_program(
        &data,
        &[],
        &["render", &file("a.json"), "-o", &file("a.svg")],
        "",
    ));
    let warnings = warnings["warnings"].as_array().unwrap();
    assert_eq!(warnings.len(), 2, "{warnings:?}");
    assert!(warnings[0].as_str().unwrap().contains("a.otf: must be a TrueType or OpenType font"));
    assert_eq!(warnings[1], "There is no font family \"None\" for fonts.title.");
    let svg = fs::read_to_string(file("a.svg")).unwrap();
    assert!(svg.contains("<g font-family=\"Nota Face, system-ui, sans-serif\">"), "{svg}");

    // The server uses the fonts as well.
    let mut server = ServerProcess::new();
    let render_as_ann =
        |server: &ServerProcess| server.ann().post("/api/v1/render", document.clone()).expect(200);
    assert!(render_as_ann(&server).header("x-chart-warnings").contains("Nota Face"));
    server.stop();
    fs::create_dir_all(server.data_dir().join("fonts")).unwrap();
    fs::write(server.data_dir().join("fonts/b.ttf"), create_test_font(notosans::REGULAR_TTF))
        .unwrap();
    server.start();
    assert!(render_as_ann(&server).text().contains("<g font-family=\"Nota Face, "));
}

#[test]
fn demo_serves_charts_and_removes_its_data() {
    let mut demo = crate::server_process::DemoProcess::start();
    let token = demo.startup_output["sign_in"]["token"].as_str().unwrap().to_owned();
    let data = demo.startup_output["data_dir"].as_str().unwrap().to_owned();
    assert!(Path::new(&data).exists());
    let agent = ureq::Agent::new_with_defaults();
    let base_url = demo.startup_output["base_url"].as_str().unwrap();
    let mut user = agent
        .get(format!("{base_url}/api/v1/user"))
        .header("authorization", format!("Bearer {token}"))
        .call()
        .unwrap();
    let user: Value = user.body_mut().read_json().unwrap();
    assert_eq!(user["email"], demo.startup_output["sign_in"]["email"]);
    assert_eq!(demo.stop(), Some(0));
    assert!(!Path::new(&data).exists());
}

/// Returns the permission bits of a file.
fn permission_bits(path: &Path) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}
