//! The setup link of a server without users.

use std::os::unix::fs::PermissionsExt;

use chartroom::features::accounts::setup;
use serde_json::json;

use crate::talk::Server;

#[test]
fn the_setup_link_makes_the_first_operator_once() {
    let server = Server::new();
    let file = server.app.config.data_dir.join("setup-link.txt");
    let first = setup::renew_setup_link(&server.app).unwrap().unwrap();
    let link = setup::renew_setup_link(&server.app).unwrap().unwrap();
    assert_eq!(std::fs::read_to_string(&file).unwrap().trim(), link);
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    let local = |link: &str| link.strip_prefix("http://127.0.0.1:8080").unwrap().to_owned();
    let path = local(&link);
    assert_eq!(server.send("GET", &local(&first), &[], "").status, 404, "a new link ends others");
    assert_eq!(server.send("GET", "/setup/guess", &[], "").status, 404);
    assert_eq!(server.send("GET", &path, &[], "").status, 200);

    let short = server.form(&path, "name=Ann+%26&email=ann&password=short");
    assert_eq!(short.status, 400);
    assert!(short.text.contains("Password must have at least 10 characters."), "{}", short.text);
    assert!(short.text.contains(r#"value="Ann &#38;""#), "{}", short.text);
    let body = "name=Ann&email=ann&password=correct+horse+battery";
    let bad = server.form(&path, body);
    assert!(bad.text.contains("Email must be an e-mail address"), "{}", bad.text);

    let body = "name=Ann&email=ann%40example.org&password=correct+horse+battery";
    let made = server.form(&path, body);
    assert_eq!((made.status, made.header("location").as_str()), (303, "/"));
    let cookie = made.cookie();
    let user = server.send("GET", "/api/v1/user", &[("cookie", &cookie)], "").json();
    assert_eq!((&user["email"], &user["operator"]), (&json!("ann@example.org"), &json!(true)));

    assert!(!file.exists());
    assert_eq!(server.form(&path, body).status, 404);
    assert_eq!(setup::renew_setup_link(&server.app).unwrap(), None);
}

#[test]
fn a_setup_link_dies_after_half_an_hour_and_when_there_is_a_user() {
    let server = Server::new();
    let link = setup::renew_setup_link(&server.app).unwrap().unwrap();
    let path = link.strip_prefix("http://127.0.0.1:8080").unwrap();
    server.sql("update setup_link set expires = expires - 1799000");
    assert_eq!(server.send("GET", path, &[], "").status, 200);
    server.sql("update setup_link set expires = expires - 1001");
    assert_eq!(server.send("GET", path, &[], "").status, 404);

    let link = setup::renew_setup_link(&server.app).unwrap().unwrap();
    let path = link.strip_prefix("http://127.0.0.1:8080").unwrap();
    server.person("Ann");
    let body = "name=Eve&email=eve%40example.org&password=correct+horse+battery";
    assert_eq!(server.form(path, body).status, 404);
}
