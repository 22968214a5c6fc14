//! Test with an independent authenticator app.

use std::process::Command;

use serde_json::json;

use super::PATH;
use super::sign_in;
use crate::test_server::PASSWORD;
use crate::test_server::TestServer;

#[test]
#[ignore = "needs pyotp"]
fn codes_of_pyotp_sign_in() {
    let server = TestServer::new();
    let ann = server.create_user("Ann");
    let token = server.create_bearer_token(&ann.id);
    let body = json!({ "current_password": PASSWORD }).to_string();
    let created = server.request(&token, "POST", PATH, &body).json();
    let url = created["otpauth_url"].as_str().unwrap();
    // An app gets everything from the URL.
    let script = "import sys, pyotp; print(pyotp.parse_uri(sys.argv[1]).now())";
    let compute_code = || {
        let python = std::env::var("TEST_PYTHON").unwrap_or_else(|_| "python3".to_owned());
        let output = Command::new(python).args(["-c", script, url]).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    let body = json!({ "code": compute_code() }).to_string();
    let confirmed = server.request(&token, "POST", &format!("{PATH}/confirm"), &body);
    assert_eq!(confirmed.status, 200, "{}", confirmed.text);
    server.execute_sql("update second_factor set last_step = 0");
    assert_eq!(sign_in(&server, PASSWORD, Some(&compute_code())).status, 200);
}
