//! Runs the stand-in of a provider until the end of its input, for programs other than the Rust tests.
//!
//! Writes one line of JSON with its addresses, the client, and the tokens of an account that has
//! permitted the access. Each line of the input is a command, and gets a line with its result:
//!
//! - `{"add_folder": {"parent": "root", "name": "Reports"}}`: the result has the `id`.
//! - `{"add_file": {"parent": "root", "name": "a.csv", "text": "a,b", "media_type": "text/csv"}}`: the same.
//! - `{"set_content": {"id": "1", "text": "a,b"}}`
//! - `{"trash": {"id": "1"}}`
//! - `{"revoke_all": {}}`
//! - `{"permit_tokens_at_downloads": {}}`
//! - `{"set_download_url": {"url": "https://files.example"}}`: download URLs in responses begin with it.

use std::io;
use std::io::BufRead;

use chartroom_stand_ins::State;
use serde_json::Value;
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
            "download_url": addresses.download_url,
            "link_url": addresses.link_url,
            "client_id": state.oauth.client_id,
            "client_secret": state.oauth.client_secret,
            "access_token": grant.access,
            "refresh_token": grant.refresh,
        })
    };
    println!("{line}");
    for line in io::stdin().lock().lines() {
        let command: Value = serde_json::from_str(&line?)?;
        println!("{}", run(&mut stand_in.lock(), &command));
    }
    Ok(())
}

/// Runs a command. Returns its result.
fn run(state: &mut State, command: &Value) -> Value {
    let Some((name, fields)) = command.as_object().and_then(|object| object.iter().next()) else {
        return json!({ "error": "a command is an object with one member" });
    };
    let text = |field: &str| fields[field].as_str().unwrap_or_default();
    let is_done = match name.as_str() {
        "add_folder" => return json!({ "id": state.tree.add_folder(text("parent"), text("name")) }),
        "add_file" => {
            let content = text("text").as_bytes();
            let id = state.tree.add_file(text("parent"), text("name"), content);
            let media_type = text("media_type");
            if let Some(node) = state.tree.find_mut(&id).filter(|_| !media_type.is_empty()) {
                media_type.clone_into(&mut node.media_type);
            }
            return json!({ "id": id });
        }
        "set_content" => state.tree.set_content(text("id"), text("text").as_bytes()),
        "trash" => state.tree.trash(text("id")),
        "revoke_all" => {
            state.oauth.grants.iter_mut().for_each(|grant| grant.is_revoked = true);
            true
        }
        "permit_tokens_at_downloads" => {
            state.permits_tokens_at_downloads = true;
            true
        }
        "set_download_url" => {
            text("url").clone_into(&mut state.download_url);
            true
        }
        _ => false,
    };
    json!({ "done": is_done })
}
