//! `chartroom healthcheck`: asks the server on this data directory whether it is ready.

use std::fs;
use std::time::Duration;

use serde_json::json;

use super::Failure;
use super::Shell;
use super::serve;
use chartroom_platform::remote::Limits;
use chartroom_platform::remote::Names;
use chartroom_platform::remote::Reach;
use chartroom_platform::remote::Remote;

/// Longer than a ready server ever needs, shorter than what watches it waits.
const TIMEOUT: Duration = Duration::from_secs(5);

/// Runs `chartroom healthcheck`: exit code 0 when the server is ready, 1 when not.
pub fn run(shell: &Shell) -> Result<(), Failure> {
    let config = shell.config()?;
    // A server that chose its port itself wrote it down.
    let written = fs::read_to_string(config.data_dir.join(serve::ADDRESS_FILE));
    let address = match written {
        Ok(text) => text.trim().to_owned(),
        Err(_) => config.own_url(config.listen),
    };
    // The certificate is for the public name, and we ask ourselves by address.
    let limits = Limits { reach: Reach::Any, timeout: TIMEOUT, verify: false };
    let remote = Remote::new(Names::new(config.dns)?, &limits)?;
    let answer = remote
        .get(&format!("{address}/readyz"), 64 << 10)
        .map_err(|error| Failure::text(format!("{address} does not answer: {error}")))?;
    if answer.status != 200 {
        let body = String::from_utf8_lossy(&answer.body);
        return Err(Failure::text(format!(
            "{address} is not ready: status {}, {}",
            answer.status,
            body.trim()
        )));
    }
    shell.print(&json!({ "ready": true, "address": address }), format!("{address} is ready"))
}
