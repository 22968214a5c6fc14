//! The service with `scim2-client`, an independent client that checks every response against strict
//! models.

use std::path::Path;
use std::process::Command;

use super::ScimFixture;

#[test]
#[ignore = "needs scim2-client"]
fn an_independent_client_creates_reads_changes_and_removes_users() {
    let fixture = ScimFixture::new();
    let python = std::env::var("TEST_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scim/client.py");
    let output = Command::new(python)
        .arg(script)
        .arg(fixture.orgs.server.url(&fixture.base))
        .env("SCIM_TOKEN", fixture.authorization.strip_prefix("Bearer ").unwrap())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}\n{errors}");
    assert!(text.ends_with("7 steps passed\n"), "{text}\n{errors}");
}
