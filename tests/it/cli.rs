//! The subcommands as processes: what they print, and their exit codes.

pub mod outside;
mod settings;

use std::fs;
use std::path::Path;
use std::process::Output;

use serde_json::Value;
use serde_json::json;

use crate::charts::fonts::FAMILY;
use crate::charts::fonts::font;
use crate::world::World;
use crate::world::json_of;
use crate::world::run;

/// A directory that is not there yet, in one that goes away.
fn fresh() -> (tempfile::TempDir, std::path::PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    (dir, data)
}

/// Runs a command that must fail with this exit code; gives what it said.
#[track_caller]
fn fails(output: &Output, code: i32) -> String {
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{error}");
    error
}

/// The errors of a failed command, as JSON.
#[track_caller]
fn errors(output: &Output, code: i32) -> Vec<String> {
    let said: Value = serde_json::from_str(&fails(output, code)).unwrap();
    said["errors"].as_array().unwrap().iter().map(|it| it.as_str().unwrap().to_owned()).collect()
}

#[test]
fn wrong_usage_is_exit_code_2() {
    let (_dir, data) = fresh();
    for arguments in [
        &["frobnicate"][..],
        &["backup"],
        &["user", "create", "--email", "ann@example.org"],
        &["render", "a.json", "-o", "a.gif"],
        &["render", "a.json", "-o", "a.png", "--scale", "9"],
        &["render", "a.json", "-o", "a.svg", "--text", "paths"],
        &["serve", "--demo", "--data-dir", "x"],
    ] {
        fails(&run(&data, &[], arguments, ""), 2);
    }
    let help = run(&data, &[], &["--help"], "");
    assert!(help.status.success());
    assert!(String::from_utf8_lossy(&help.stdout).contains("healthcheck"));
}

#[test]
fn a_fresh_server_offers_a_setup_link_and_an_inhabited_one_does_not() {
    let mut world = World::empty();
    let link = world.welcome["setup_link"].as_str().unwrap().to_owned();
    assert!(link.starts_with(&format!("{}/setup/", world.base)), "{link}");
    let written = fs::read_to_string(world.path().join("setup-link.txt")).unwrap();
    assert_eq!(written.trim(), link);
    assert_eq!(mode(&world.path().join("setup-link.txt")), 0o600);
    assert_eq!(mode(world.path()), 0o700);
    world.json(&["user", "create", "--email", "ann@example.org", "--name", "Ann"]);
    assert_eq!(world.stop(), Some(0));
    world.start();
    assert_eq!(world.welcome["setup_link"], Value::Null);
}

#[test]
fn a_person_made_before_the_first_start_can_sign_in_after_it() {
    let (_dir, data) = fresh();
    let create = ["user", "create", "--email", "ann@example.org", "--name", "Ann", "--operator"];
    let user = json_of(&run(&data, &[], &create, ""));
    assert_eq!(user["email"], "ann@example.org");
    assert!(user["id"].is_string());
    let token = json_of(&run(&data, &[], &["user", "token", "ann@example.org", "--name", "t"], ""));
    assert!(token["token"].as_str().unwrap().starts_with("chartroom_"), "{token}");
    let create =
        ["org", "create", "--name", "Org", "--slug", "org", "--plan", "team", "--seats", "3"];
    let org = json_of(&run(&data, &[], &create, ""));
    assert_eq!(org["slug"], "org");
    assert!(org["id"].is_string());
    assert_eq!(mode(&data), 0o700);
}

#[test]
fn a_second_server_on_the_same_data_is_refused() {
    let world = World::new();
    let second = world.run(&["serve", "--listen", "127.0.0.1:0"]);
    let errors = errors(&second, 1);
    assert!(errors[0].contains("another server is running"), "{errors:?}");
}

#[test]
fn an_address_in_use_is_named() {
    let world = World::new();
    let (_dir, data) = fresh();
    let taken = world.welcome["listen"].as_str().unwrap();
    let errors = errors(&run(&data, &[], &["serve", "--listen", taken], ""), 1);
    assert!(errors[0].starts_with("listen: cannot listen on"), "{errors:?}");
}

#[test]
fn healthcheck_tells_a_server_from_none() {
    let mut world = World::new();
    let answer = world.json(&["healthcheck"]);
    assert_eq!(answer, json!({ "ready": true, "address": world.base }));
    // What a killed server leaves behind says nothing of the next.
    world.kill();
    let errors = errors(&world.run(&["healthcheck"]), 1);
    assert!(errors[0].contains("does not respond"), "{errors:?}");
    world.start();
    world.json(&["healthcheck"]);
}

#[test]
fn healthcheck_asks_where_the_settings_say_when_nothing_runs() {
    let (_dir, data) = fresh();
    // Port 9 (discard) is where nobody listens.
    let down = run(&data, &[("listen", "127.0.0.1:9")], &["healthcheck"], "");
    let errors = errors(&down, 1);
    assert!(errors[0].contains("does not respond"), "{errors:?}");
}

#[test]
fn a_stop_leaves_no_log_behind_and_no_address() {
    let mut world = World::new();
    world.ann().post("/api/v1/create-document", json!({ "widget": "bar" })).expect(200);
    assert!(world.path().join("address").exists());
    assert_eq!(world.stop(), Some(0));
    assert!(!world.path().join("address").exists());
    let log = fs::metadata(world.path().join("chartroom.db-wal"));
    assert!(log.map_or(0, |it| it.len()) == 0, "the write-ahead log is not empty");
}

#[test]
fn a_backup_goes_there_and_back() {
    let mut world = World::new();
    let made = world.json(&["backup", "create"]);
    let path = made["path"].as_str().unwrap().to_owned();
    assert_eq!(world.json(&["backup", "list"])[0]["path"], path.as_str());
    assert_eq!(world.json(&["backup", "verify", &path])["schema_version"], 1);
    world.json(&["user", "edit", "ann@example.org", "--name", "Somebody else"]);
    let refused = errors(&world.run(&["backup", "restore", &path]), 1);
    assert!(refused[0].contains("is in use"), "{refused:?}");
    assert_eq!(world.stop(), Some(0));
    let restored = world.json(&["backup", "restore", &path]);
    assert!(restored["kept"].is_string(), "{restored}");
    assert_eq!(world.json(&["user", "show", "ann@example.org"])["name"], "Ann");
    world.start();
    world.ann().get("/api/v1/user").expect(200);
    let removed = world.json(&["backup", "prune", "--keep", "1"]);
    assert_eq!(removed, json!({ "removed": [] }));

    let mut bytes = fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0xff;
    let broken = world.path().join("broken.tar.zst");
    fs::write(&broken, bytes).unwrap();
    fails(&world.run(&["backup", "verify", &broken.display().to_string()]), 4);
}

#[test]
fn doctor_is_content_or_exit_code_4() {
    let mut world = World::new();
    assert_eq!(world.json(&["doctor"])["ok"], true);
    assert_eq!(world.stop(), Some(0));
    let file = world.path().join("chartroom.db");
    let mut bytes = fs::read(&file).unwrap();
    // Past the first page, so that it still is a database.
    for byte in bytes.iter_mut().skip(9000).take(30_000) {
        *byte ^= 0x55;
    }
    fs::write(&file, bytes).unwrap();
    let output = world.run(&["doctor"]);
    fails(&output, 4);
    let said: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(said["ok"], false);
}

#[test]
fn migrate_says_where_the_database_stands() {
    let (_dir, data) = fresh();
    let status = json_of(&run(&data, &[], &["migrate", "status"], ""));
    assert_eq!(status["version"], 0);
    json_of(&run(&data, &[], &["migrate", "up"], ""));
    let status = json_of(&run(&data, &[], &["migrate", "status"], ""));
    assert_eq!(status["version"], status["current"]);
    let dry = json_of(&run(&data, &[], &["migrate", "up", "--dry-run"], ""));
    assert_eq!(dry, json!({ "steps": [], "dry_run": true }));
    let errors = errors(&run(&data, &[], &["rollback"], ""), 1);
    assert!(errors[0].contains("snapshot"), "{errors:?}");
}

#[test]
fn render_draws_a_file_and_names_what_is_wrong_with_it() {
    let (dir, data) = fresh();
    let file = |name: &str| dir.path().join(name).display().to_string();
    let document = json!({
        "plugin_id": "bar",
        "title": "Sales by region",
        "data": [{ "label": "North", "value": 3 }, { "label": "South", "value": 2 }],
    });
    fs::write(file("a.json"), document.to_string()).unwrap();
    let draw =
        |output: &str| run(&data, &[], &["render", &file("a.json"), "-o", &file(output)], "");
    json_of(&draw("a.svg"));
    let picture = fs::read_to_string(file("a.svg")).unwrap();
    assert!(picture.starts_with("<svg") && picture.contains("Sales by region"));
    assert!(picture.contains("@font-face"), "a file is read where the fonts are not");
    let outlines = ["render", &file("a.json"), "-o", &file("a.svg"), "--text", "outlines"];
    json_of(&run(&data, &[], &outlines, ""));
    assert!(!fs::read_to_string(file("a.svg")).unwrap().contains("<text"));
    json_of(&draw("a.png"));
    assert!(fs::read(file("a.png")).unwrap().starts_with(b"\x89PNG\r\n"));
    assert!(!data.exists(), "drawing a file makes no data directory");

    let check = |document: Value, want: &str| {
        fs::write(file("a.json"), document.to_string()).unwrap();
        let errors = errors(&draw("b.svg"), 1);
        assert!(errors[0].contains(want), "{errors:?}");
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
fn fonts_of_the_data_directory_are_drawn_with() {
    let (dir, data) = fresh();
    let file = |name: &str| dir.path().join(name).display().to_string();
    let theme = json!({ "fonts": { "body": { "family": FAMILY }, "title": { "family": "None" } } });
    let document = json!({ "plugin_id": "bar", "title": "Sales", "custom_theme": theme,
        "data": [{ "label": "North", "value": 3 }, { "label": "South", "value": 2 }] });
    fs::write(file("a.json"), document.to_string()).unwrap();
    fs::create_dir_all(data.join("fonts")).unwrap();
    fs::write(data.join("fonts/b.ttf"), font(notosans::REGULAR_TTF)).unwrap();
    fs::write(data.join("fonts/a.otf"), "no font").unwrap();
    fs::write(data.join("fonts/OFL.txt"), "license").unwrap();
    let told = json_of(&run(&data, &[], &["render", &file("a.json"), "-o", &file("a.svg")], ""));
    let told = told["warnings"].as_array().unwrap();
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told[0].as_str().unwrap().contains("a.otf: must be a TrueType or OpenType font"));
    assert_eq!(told[1], "There is no font family \"None\" for fonts.title.");
    let svg = fs::read_to_string(file("a.svg")).unwrap();
    assert!(svg.contains("<g font-family=\"Nota Face, system-ui, sans-serif\">"), "{svg}");

    // The server draws with them as well.
    let mut world = World::new();
    let answer = |world: &World| world.ann().post("/api/v1/render", document.clone()).expect(200);
    assert!(answer(&world).header("x-chart-warnings").contains("Nota Face"));
    world.stop();
    fs::create_dir_all(world.path().join("fonts")).unwrap();
    fs::write(world.path().join("fonts/b.ttf"), font(notosans::REGULAR_TTF)).unwrap();
    world.start();
    assert!(answer(&world).text().contains("<g font-family=\"Nota Face, "));
}

#[test]
fn the_demonstration_shows_charts_and_leaves_nothing() {
    let mut demo = crate::world::Demo::start();
    let token = demo.welcome["sign_in"]["token"].as_str().unwrap().to_owned();
    let data = demo.welcome["data_dir"].as_str().unwrap().to_owned();
    assert!(Path::new(&data).exists());
    let agent = ureq::Agent::new_with_defaults();
    let base = demo.welcome["base_url"].as_str().unwrap();
    let mut user = agent
        .get(format!("{base}/api/v1/user"))
        .header("authorization", format!("Bearer {token}"))
        .call()
        .unwrap();
    let user: Value = user.body_mut().read_json().unwrap();
    assert_eq!(user["email"], demo.welcome["sign_in"]["email"]);
    assert_eq!(demo.stop(), Some(0));
    assert!(!Path::new(&data).exists());
}

fn mode(path: &Path) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}
