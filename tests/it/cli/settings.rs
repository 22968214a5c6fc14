//! Settings as an operator meets them: layers, origins, and what is wrong with them.

use std::fs;

use serde_json::json;

use super::errors;
use super::fresh;
use crate::world::json_of;
use crate::world::run;

#[test]
fn settings_come_in_layers_and_say_where_from() {
    let (_dir, data) = fresh();
    fs::create_dir(&data).unwrap();
    let file = data.join("chartroom.toml");
    fs::write(&file, "max_records = 10\nlog = \"warn\"\nidle_timeout = \"2 min\"\n").unwrap();
    let environment = [("log", "error"), ("smtp_host", "mail.example.org")];
    let shown = json_of(&run(&data, &environment, &["config", "show"], ""));
    let check = |name: &str, value: &str, origin: &str| {
        let setting = (&shown[name]["value"], &shown[name]["origin"]);
        assert_eq!(setting, (&json!(value), &json!(origin)), "{name}");
    };
    let in_file = format!("file {}", file.display());
    check("max_records", "10", &in_file);
    check("idle_timeout", "120 s", &in_file);
    check("log", "error", "environment CHARTROOM_LOG");
    check("smtp_host", "mail.example.org", "environment CHARTROOM_SMTP_HOST");
    check("data_dir", &data.display().to_string(), "flag --data-dir");
    check("base_url", "http://127.0.0.1:8080", "from listen");
    check("max_document_bytes", "16 MiB", "default");
}

#[test]
fn secrets_are_read_from_files_and_never_shown() {
    let (dir, data) = fresh();
    let secret = dir.path().join("secret");
    fs::write(&secret, "hunter2\n").unwrap();
    let environment = [
        ("smtp_host", "mail.example.org"),
        ("smtp_user", "ann"),
        ("smtp_password_file", &secret.display().to_string()),
    ];
    let output = run(&data, &environment, &["config", "show"], "");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(!text.contains("hunter2"), "{text}");
    assert_eq!(json_of(&output)["smtp_password"]["value"], "(set)");
}

#[test]
fn wrong_settings_are_exit_code_3_with_the_nearest_key() {
    let (_dir, data) = fresh();
    fs::create_dir(&data).unwrap();
    fs::write(data.join("chartroom.toml"), "max_record = 10\n").unwrap();
    for arguments in [&["config", "check"][..], &["serve"], &["user", "list"], &["backup", "list"]]
    {
        let errors = errors(&run(&data, &[("lisen", "x")], arguments, ""), 3);
        assert_eq!(errors.len(), 2, "{errors:?}");
        assert!(errors[0].ends_with("did you mean max_records?"), "{errors:?}");
        assert!(errors[1].ends_with("did you mean CHARTROOM_LISTEN?"), "{errors:?}");
    }
    fs::write(data.join("chartroom.toml"), "max_records = 10\n").unwrap();
    let checked = json_of(&run(&data, &[], &["config", "check"], ""));
    assert_eq!(checked["valid"], true);
    let missing = ["--config", "/nowhere.toml", "config", "check"];
    let errors = errors(&run(&data, &[], &missing, ""), 3);
    assert_eq!(errors, ["/nowhere.toml: the settings file does not exist"]);
}

#[test]
fn the_text_of_config_show_is_a_valid_settings_file() {
    let (dir, data) = fresh();
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_chartroom"))
        .args(["config", "show", "--explain"])
        .current_dir(dir.path())
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<&str> = text.lines().filter(|it| !it.starts_with("data_dir")).collect();
    let file = dir.path().join("all.toml");
    fs::write(&file, lines.join("\n")).unwrap();
    let arguments = ["--config", &file.display().to_string(), "config", "check"];
    json_of(&run(&data, &[], &arguments, ""));
}

#[test]
fn mail_without_a_mail_server_is_a_matter_of_settings() {
    let (_dir, data) = fresh();
    let errors = errors(&run(&data, &[], &["mail", "test", "ann@example.org"], ""), 3);
    assert_eq!(errors, ["smtp_host: must be set to send mail"]);
}
