//! Tests of `chartroom user …` while a server runs on the same data.

use std::process::Output;

use serde_json::json;

use crate::server_process;
use crate::server_process::ServerProcess;
use crate::server_process::parse_json_output;

/// Returns the exit code and the standard error of a command.
fn exit_code_and_stderr(output: &Output) -> (Option<i32>, String) {
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn user_command_creates_shows_and_edits_users() {
    let server = ServerProcess::new();
    let created =
        server.run_json(&["user", "create", "--email", "dora@example.org", "--name", "Dora"]);
    assert_eq!(
        (&created["email"], &created["username"]),
        (&json!("dora@example.org"), &json!("dora"))
    );
    let id = created["id"].as_str().unwrap();
    for name in [id, "dora", "DORA@example.org"] {
        assert_eq!(server.run_json(&["user", "show", name])["id"], created["id"], "{name}");
    }
    let listed = server.run_json(&["user", "list"]);
    let names: Vec<_> = listed.as_array().unwrap().iter().map(|user| &user["name"]).collect();
    assert_eq!(names, ["Ann", "Ben", "Cid", "Dora"]);

    let change =
        ["user", "edit", "dora", "--name", "Dora D", "--username", "dd", "--operator", "true"];
    let changed = server.run_json(&change);
    assert_eq!((&changed["name"], &changed["operator"]), (&json!("Dora D"), &json!(true)));
    let (code, text) = exit_code_and_stderr(&server.run_command(&["user", "show", "dora"]));
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("no such user"), "{text}");
    let (code, text) = exit_code_and_stderr(&server.run_command(&[
        "user",
        "edit",
        "dd",
        "--email",
        "ann@example.org",
    ]));
    assert_eq!(code, Some(1));
    assert!(text.contains("email: ann@example.org already has an account"), "{text}");
    let (code, _) = exit_code_and_stderr(&server.run_command(&["user", "create", "--name", "X"]));
    assert_eq!(code, Some(2));
}

#[test]
fn running_server_applies_user_commands_immediately() {
    let server = ServerProcess::new();
    let user_path = "/api/v1/user";
    server.run_json(&["user", "disable", "ann"]);
    assert_eq!(server.ann().get(user_path).status, 401);
    server.run_json(&["user", "enable", "ann"]);
    assert_eq!(server.ann().get(user_path).status, 200);
    let token = server.run_json(&["user", "token", "ann", "--name", "CI", "--scope", "read"]);
    assert_eq!(token["scope"], "read");
    let authorization = format!("Bearer {}", token["token"].as_str().unwrap());
    let reader = server.guest().with_header("authorization", &authorization);
    assert_eq!(reader.get(user_path).status, 200);
    let refused = reader.post("/api/v1/create-document", json!({ "widget": "bar" }));
    let text = "the scope `read` of this API token does not include this request";
    assert_eq!(refused.status, 403);
    assert!(refused.text().contains(text), "{}", refused.text());
    let invalid = ["user", "token", "ann", "--name", "CI", "--scope", "reed"];
    assert_eq!(exit_code_and_stderr(&server.run_command(&invalid)).0, Some(2));

    let session_path = "/api/v1/session";
    let sign_in_status = |password: &str| {
        let body = json!({ "email": "ann@example.org", "password": password });
        server.guest().post(session_path, body).status
    };
    assert_eq!(sign_in_status(server_process::PASSWORD), 200);
    let set_password = ["user", "password", "ann", "--password-stdin"];
    let short_password =
        server_process::run_program(server.data_dir(), &[], &set_password, "short\n");
    let (code, text) = exit_code_and_stderr(&short_password);
    assert_eq!(code, Some(1));
    assert!(text.contains("password: must have at least 10 characters"), "{text}");
    parse_json_output(&server_process::run_program(
        server.data_dir(),
        &[],
        &set_password,
        "a new pass phrase\n",
    ));
    assert_eq!(
        (sign_in_status(server_process::PASSWORD), sign_in_status("a new pass phrase")),
        (401, 200)
    );
}

#[test]
fn user_command_deletes_only_users_without_nodes() {
    let server = ServerProcess::new();
    server.ann().post("/api/v1/create-document", json!({ "widget": "bar" })).expect(200);
    let (code, text) = exit_code_and_stderr(&server.run_command(&["user", "delete", "ann"]));
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("ann@example.org still owns "), "{text}");
    assert_eq!(server.ann().get("/api/v1/user").status, 200);

    server.run_json(&["user", "delete", "ben"]);
    assert_eq!(server.ben().get("/api/v1/user").status, 401);
}

#[test]
fn setup_link_is_offered_until_the_first_user_exists() {
    let server = ServerProcess::without_users();
    let link = std::fs::read_to_string(server.data_dir().join("setup-link.txt")).unwrap();
    let path = link.trim().strip_prefix(server.base_url.as_str()).unwrap();
    let page = server.guest().get(path).expect(200);
    assert!(page.text().contains("Set up this server"));
    let create = ["user", "create", "--email", "eve@example.org", "--name", "Eve", "--operator"];
    assert_eq!(server.run_json(&create)["operator"], true);
    assert_eq!(server.guest().get(path).status, 404);
}
