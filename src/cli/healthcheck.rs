//! `chartroom healthcheck`: checks whether the server of this data directory is ready.

use std::fs;
use std::time::Duration;

use serde_json::json;

use super::CommandContext;
use super::Failure;
use super::serve;
use chartroom_platform::remote::ClientOptions;
use chartroom_platform::remote::DnsResolver;
use chartroom_platform::remote::NetworkScope;
use chartroom_platform::remote::RemoteClient;

/// Request timeout: longer than a ready server needs, shorter than the timeout of common
/// supervisors.
const TIMEOUT: Duration = Duration::from_secs(5);

/// Runs `chartroom healthcheck`. Fails with exit code 1 if the server is not ready or does not
/// respond.
///
/// Requests `/readyz` at the address that the server has stored in the data directory, otherwise at
/// the configured one. Does not verify the certificate.
pub fn run(context: &CommandContext) -> Result<(), Failure> {
    let config = context.load_config()?;
    // With port 0 the real address is only known from this file.
    let written = fs::read_to_string(config.data_dir.join(serve::ADDRESS_FILE));
    let address = match written {
        Ok(text) => text.trim().to_owned(),
        Err(_) => config.listen_url(config.listen),
    };
    // The certificate is valid for the public name, but this request uses the local address.
    let options =
        ClientOptions { scope: NetworkScope::Any, timeout: TIMEOUT, verify_certificates: false };
    let remote = RemoteClient::new(DnsResolver::new(config.dns)?, &options)?;
    let response = remote
        .get(&format!("{address}/readyz"), 64 << 10)
        .map_err(|error| Failure::message(format!("{address} does not respond: {error}")))?;
    if response.status != 200 {
        let body = String::from_utf8_lossy(&response.body);
        return Err(Failure::message(format!(
            "{address} is not ready: status {}, {}",
            response.status,
            body.trim()
        )));
    }
    context.print(&json!({ "ready": true, "address": address }), format!("{address} is ready"))
}
