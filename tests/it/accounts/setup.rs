//! Tests of the setup link of a server without users.

use std::os::unix::fs::PermissionsExt;

use chartroom::features::accounts::setup;
use serde_json::json;

use crate::test_server::TestServer;

#[test]
fn setup_link_creates_the_first_operator_once() {
    let server = TestServer::new();
    let file = server.app.config.data_dir.join("setup-link.txt");
    let old_link = setup::renew_setup_link(&server.app).unwrap().unwrap();
    let link = setup::renew_setup_link(&server.app).unwrap().unwrap();
    assert_eq!(std::fs::read_to_string(&file).unwrap().trim(), link);
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    let local_path = |link: &str| link.strip_prefix("http://127.0.0.1:8080").unwrap().to_owned();
    let path = local_path(&link);
    assert_eq!(
        server.send("GET", &local_path(&old_link), &[], "").status,
        404,
        "a new link invalidates the old one"
    );
    assert_eq!(server.send("GET", "/setup/guess", &[], "").status, 404);
    assert_eq!(server.send("GET", &path, &[], "").status, 200);

    let short_password = server.submit_form(&path, "name=Ann+%26&email=ann&password=short");
    assert_eq!(short_password.status, 400);
    assert!(
        short_password.text.contains("Password must have at least 10 characters."),
        "{}",
        short_password.text
    );
    assert!(short_password.text.contains(r#"value="Ann &#38;""#), "{}", short_password.text);
    let body = "name=Ann&email=ann&password=correct+horse+battery";
    let bad_email = server.submit_form(&path, body);
    assert!(bad_email.text.contains("Email must be an e-mail address"), "{}", bad_email.text);

    let body = "name=Ann&email=ann%40example.org&password=correct+horse+battery";
    let created = server.submit_form(&path, body);
    assert_eq!((created.status, created.header("location").as_str()), (303, "/"));
    let cookie = created.cookie();
    let user = server.send("GET", "/api/v1/user", &[("cookie", &cookie)], "").json();
    assert_eq!((&user["email"], &user["operator"]), (&json!("ann@example.org"), &json!(true)));
    let sessions = server.send("GET", "/api/v1/user/sessions", &[("cookie", &cookie)], "").json();
    assert_eq!(sessions[0]["method"], "setup");

    assert!(!file.exists());
    assert_eq!(server.submit_form(&path, body).status, 404);
    assert_eq!(setup::renew_setup_link(&server.app).unwrap(), None);
}

#[test]
fn setup_link_expires_after_half_an_hour_or_with_the_first_user() {
    let server = TestServer::new();
    let link = setup::renew_setup_link(&server.app).unwrap().unwrap();
    let path = link.strip_prefix("http://127.0.0.1:8080").unwrap();
    server.execute_sql("update setup_link set expires = expires - 1799000");
    assert_eq!(server.send("GET", path, &[], "").status, 200);
    server.execute_sql("update setup_link set expires = expires - 1001");
    assert_eq!(server.send("GET", path, &[], "").status, 404);

    let link = setup::renew_setup_link(&server.app).unwrap().unwrap();
    let path = link.strip_prefix("http://127.0.0.1:8080").unwrap();
    server.create_user("Ann");
    let body = "name=Eve&email=eve%40example.org&password=correct+horse+battery";
    assert_eq!(server.submit_form(path, body).status, 404);
}
