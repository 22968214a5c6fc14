//! Tests of the settings: precedence, origins and errors.

use std::fs;

use serde_json::json;

use super::expect_errors;
use super::new_data_dir;
use crate::server_process::parse_json_output;
use crate::server_process::run_program;

#[test]
fn settings_have_a_precedence_and_show_their_origin() {
    let (_dir, data) = new_data_dir();
    fs::create_dir(&data).unwrap();
    let file = data.join("chartroom.toml");
    fs::write(&file, "max_records = 10\nlog = \"warn\"\nidle_timeout = \"2 min\"\n").unwrap();
    let environment = [("log", "error"), ("smtp_host", "mail.example.org")];
    let shown = parse_json_output(&run_program(&data, &environment, &["config", "show"], ""));
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
    let (dir, data) = new_data_dir();
    let secret = dir.path().join("secret");
    fs::write(&secret, "hunter2\n").unwrap();
    let environment = [
        ("smtp_host", "mail.example.org"),
        ("smtp_user", "ann"),
        ("smtp_password_file", &secret.display().to_string()),
    ];
    let output = run_program(&data, &environment, &["config", "show"], "");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(!text.contains("hunter2"), "{text}");
    assert_eq!(parse_json_output(&output)["smtp_password"]["value"], "(set)");
}

#[test]
fn wrong_settings_exit_with_code_3_and_suggest_a_key() {
    let (_dir, data) = new_data_dir();
    fs::create_dir(&data).unwrap();
    fs::write(data.join("chartroom.toml"), "max_record = 10\n").unwrap();
    for arguments in [&["config", "check"][..], &["serve"], &["user", "list"], &["backup", "list"]]
    {
        let errors = expect_errors(&run_program(&data, &[("lisen", "x")], arguments, ""), 3);
        assert_eq!(errors.len(), 2, "{errors:?}");
        assert!(errors[0].ends_with("did you mean max_records?"), "{errors:?}");
        assert!(errors[1].ends_with("did you mean CHARTROOM_LISTEN?"), "{errors:?}");
    }
    fs::write(data.join("chartroom.toml"), "max_records = 10\n").unwrap();
    let checked = parse_json_output(&run_program(&data, &[], &["config", "check"], ""));
    assert_eq!(checked["valid"], true);
    let missing = ["--config", "/nowhere.toml", "config", "check"];
    let errors = expect_errors(&run_program(&data, &[], &missing, ""), 3);
    assert_eq!(errors, ["/nowhere.toml: the settings file does not exist"]);
}

#[test]
fn output_of_config_show_is_a_valid_settings_file() {
    let (dir, data) = new_data_dir();
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_chartroom"))
        .args(["config", "show", "--explain"])
        .current_dir(dir.path())
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with("data_dir")).collect();
    let file = dir.path().join("all.toml");
    fs::write(&file, lines.join("\n")).unwrap();
    let arguments = ["--config", &file.display().to_string(), "config", "check"];
    parse_json_output(&run_program(&data, &[], &arguments, ""));
}

#[test]
fn mail_test_without_a_mail_server_exits_with_code_3() {
    let (_dir, data) = new_data_dir();
    let errors =
        expect_errors(&run_program(&data, &[], &["mail", "test", "ann@example.org"], ""), 3);
    assert_eq!(errors, ["smtp_host: must be set to send mail"]);
}
