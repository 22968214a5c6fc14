//! Tests of `chartroom org theme` beside a running server.

use std::fs;

use serde_json::Value;
use serde_json::json;

use crate::server_process::ServerProcess;

#[test]
fn the_operator_manages_themes_on_the_command_line() {
    let server = ServerProcess::new();
    let org = ["org", "create", "--name", "Acme", "--slug", "acme", "--plan", "enterprise"];
    server.run_json(&[&org[..], &["--seats", "9"]].concat());
    server.run_json(&["org", "member", "add", "acme", "ann@example.org", "--role", "admin"]);
    let file = server.data_dir().join("theme.json");
    let path = file.to_str().unwrap();
    let put = |body: Value| {
        fs::write(&file, body.to_string()).unwrap();
        server.run_command(&["org", "theme", "put", "acme", "brand", path])
    };
    let api = |path: &str| server.ann().get(&format!("/api/v1/orgs/acme{path}")).json();

    // Yellow text on white has too little contrast.
    let created = put(json!({ "title": "Brand", "colors": ["#0b5394"], "text_color": "#ffee88" }));
    assert!(created.status.success(), "{created:?}");
    let created: Value = serde_json::from_slice(&created.stdout).unwrap();
    assert!(!created["warnings"].as_array().unwrap().is_empty(), "{created}");
    assert_eq!(api("/themes/brand")["colors"], json!(["#0b5394"]));
    // The printed theme can be saved again.
    let shown = server.run_json(&["org", "theme", "show", "acme", "brand"]);
    assert!(put(shown.clone()).status.success());
    let mut replaced = shown;
    replaced["text_color"] = json!("#222222");
    let replaced = put(replaced);
    let replaced: Value = serde_json::from_slice(&replaced.stdout).unwrap();
    assert_eq!(replaced["warnings"], json!([]));
    assert_eq!(server.run_json(&["org", "theme", "list", "acme"])[0]["title"], "Brand");

    let refused = put(json!({ "colors": ["inky"], "fonts": { "body": { "size": 99 } } }));
    assert!(!refused.status.success());
    let output = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(output.contains("colors[0]") && output.contains("fonts.body.size"), "{output}");
    assert_eq!(api("/themes/brand")["colors"], json!(["#0b5394"]), "nothing changed");

    let chosen = server.run_json(&["org", "theme", "default", "acme", "brand"]);
    assert!(chosen["default_theme"].as_str().unwrap().ends_with("/brand"), "{chosen}");
    assert_eq!(api("")["default_theme"], chosen["default_theme"]);
    server.run_json(&["org", "theme", "delete", "acme", "brand"]);
    assert_eq!(server.ann().get("/api/v1/orgs/acme/themes/brand").status, 404);
    assert_eq!(
        server.run_json(&["org", "theme", "default", "acme", "dark"])["default_theme"],
        "dark"
    );
    let absent = server.run_command(&["org", "theme", "default", "acme", "absent"]);
    assert!(!absent.status.success(), "{absent:?}");

    let log = api("/audit-log?limit=100");
    let events = log["events"].as_array().unwrap().iter();
    let events = events.filter(|event| event["action"].as_str().unwrap().starts_with("theme."));
    let events: Vec<String> =
        events.map(|event| format!("{} {}", event["action"], event["actor"]["type"])).collect();
    let expected = ["delete", "change", "create"];
    assert_eq!(events, expected.map(|verb| format!("\"theme.{verb}\" \"operator\"")));
}
