//! Runs the stand-in of a provider until the end of its input, for programs other than the Rust tests.
//!
//! Writes one line of JSON with its addresses, the client, and the tokens of an account that has
//! permitted the access.

use std::io;
use std::io::Read;

use serde_json::json;

/// The main function: `stand_in PROVIDER`.
fn main() -> io::Result<()> {
    let provider = std::env::args().nth(1).unwrap_or_default();
    let stand_in = chartroom_stand_ins::start(&provider)?;
    let addresses = stand_in.addresses.clone();
    let line = {
        let mut state = stand_in.lock();
        let grant = state.oauth.grant("");
        json!({
            "auth_url": addresses.auth_url,
            "token_url": addresses.token_url,
            "api_url": addresses.api_url,
            "content_url": addresses.content_url,
            "client_id": state.oauth.client_id,
            "client_secret": state.oauth.client_secret,
            "access_token": grant.access,
            "refresh_token": grant.refresh,
        })
    };
    println!("{line}");
    io::stdin().read_to_end(&mut Vec::new()).map(drop)
}
