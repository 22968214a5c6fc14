//! The default addresses of the providers: a name server leads their hosts to a server with TLS on this
//! machine, which forwards the requests to the stand-ins.

use std::io::BufRead;
use std::io::BufReader;
use std::net::TcpListener;
use std::process::Child;
use std::process::Command;
use std::process::Stdio;

use chartroom_stand_ins::StandIn;
use serde_json::Value;
use serde_json::json;

use super::Setup;
use crate::cli::external_servers::start_dnsmasq_with;
use crate::server_process::Launch;
use crate::server_process::ServerProcess;

/// Address of the hosts. Not that of the server itself, to which no request may go.
const ADDRESS: &str = "127.0.0.2";

/// Program that serves the hosts.
const HOSTS_PROGRAM: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/tests/stand_ins/sdk/provider_hosts.py");

/// The real addresses of a provider, and the stand-ins for its hosts.
struct Defaults {
    /// Page for consent.
    auth_url: &'static str,
    /// Host of the downloads. Empty if it is none of its own.
    download_host: &'static str,
    /// Names of hosts with the URLs of stand-ins.
    hosts: Value,
}

/// Returns the defaults of a provider as its documentation has them.
fn defaults(provider: &str, stand_in: &StandIn) -> Defaults {
    let addresses = &stand_in.addresses;
    let (auth_url, download_host, hosts) = match provider {
        "box" => (
            "https://account.box.com/api/oauth2/authorize",
            "dl.boxcloud.com",
            json!({ "api.box.com": addresses.api_url, "upload.box.com": addresses.content_url }),
        ),
        "dropbox" => (
            "https://www.dropbox.com/oauth2/authorize",
            "",
            json!({
                "api.dropboxapi.com": addresses.api_url,
                "content.dropboxapi.com": addresses.content_url,
            }),
        ),
        "googledrive" => (
            "https://accounts.google.com/o/oauth2/v2/auth",
            "",
            json!({
                "oauth2.googleapis.com": addresses.token_url,
                "www.googleapis.com": addresses.api_url,
            }),
        ),
        "onedrive" => (
            "https://login.microsoftonline.com/common/oauth2/v2.0/authorize",
            "contoso-my.sharepoint.com",
            json!({
                "login.microsoftonline.com": addresses.token_url,
                "graph.microsoft.com": addresses.api_url,
            }),
        ),
        _ => (
            "https://app.smartsheet.com/b/authorize",
            "s3.amazonaws.com",
            json!({ "api.smartsheet.com": addresses.api_url }),
        ),
    };
    let mut defaults = Defaults { auth_url, download_host, hosts };
    if !download_host.is_empty() {
        defaults.hosts[download_host] = json!(addresses.download_url);
    }
    defaults
}

/// The program that serves the hosts. It ends with the test.
struct Hosts {
    process: Child,
    /// File with the certificate authority of the hosts.
    ca_file: String,
}

impl Hosts {
    /// Starts the program and waits until it serves the hosts.
    fn start(hosts: &Value) -> Self {
        let mut process = Command::new("python3")
            .args(["-B", HOSTS_PROGRAM, ADDRESS, &hosts.to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let served: Value = serde_json::from_str(&line).unwrap();
        Self { process, ca_file: served["ca_file"].as_str().unwrap().to_owned() }
    }
}

impl Drop for Hosts {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Connects an account, and uses documents and a source through the default addresses of a provider.
fn use_provider(provider: &'static str) {
    let stand_in = chartroom_stand_ins::start(provider).unwrap();
    let defaults = defaults(provider, &stand_in);
    if !defaults.download_host.is_empty() {
        stand_in.lock().download_url = format!("https://{}", defaults.download_host);
    }
    stand_in.lock().page_size = 2;
    let hosts = Hosts::start(&defaults.hosts);
    let names = defaults.hosts.as_object().unwrap().keys();
    let names: Vec<String> = names.map(|name| format!("--address=/{name}/{ADDRESS}")).collect();
    let (_name_server, dns) = start_dnsmasq_with(&names);
    let settings = [
        (format!("{provider}_client_id"), "client-id".to_owned()),
        (format!("{provider}_client_secret"), "client-secret".to_owned()),
        ("googledrive_scope".to_owned(), "full".to_owned()),
        ("dns".to_owned(), dns),
        ("remote_networks".to_owned(), format!("{ADDRESS}/32")),
    ];
    let settings = settings.each_ref().map(|(name, value)| (name.as_str(), value.as_str()));
    let environment = vec![("SSL_CERT_FILE".to_owned(), hosts.ca_file.clone())];
    let launch = Launch { environment, ..Launch::default() };
    let mut server = ServerProcess::prepare(&settings, launch);
    server.start();
    let setup = Setup { server, stand_in, provider, auth_url: defaults.auth_url.to_owned() };
    let id = setup.connect();
    match provider {
        "smartsheet" => use_sheets(&setup, &id),
        _ => use_files(&setup, &id),
    }
}

/// Creates, reads, saves and lists documents, and reads a source.
fn use_files(setup: &Setup, id: &str) {
    let (ann, provider) = (setup.server.ann(), setup.provider);
    for title in ["One", "Two", "Three"] {
        let body = json!({ "widget": "bar", "title": title });
        ann.post(&setup.path(id, "/documents"), body).expect(200);
    }
    setup.stand_in.lock().tree.add_file("root", "Sales.csv", b"City,Sales\nBonn,4\n");
    let (mut entries, mut path) = (Vec::new(), "/folders?files=1".to_owned());
    for _ in 0..4 {
        let page = ann.get(&setup.path(id, &path)).expect(200).json();
        entries.extend(page["results"].as_array().unwrap().clone());
        let Some(next) = page["cursor"].as_str() else { break };
        path = format!("/folders/continue/{next}");
    }
    assert_eq!(entries.len(), 4, "{provider}: {entries:?}");
    let document = entries.iter().find(|entry| entry["document"]["title"] == "Two").unwrap();
    let document = document["document"]["id"].as_str().unwrap();
    let path = setup.path(id, &format!("/documents/{document}"));
    let read = ann.get(&path).expect(200).json();
    let body = json!({ "title": "New", "data": [], "revision": read["revision"] });
    ann.put(&path, body.clone()).expect(200);
    ann.put(&path, body).expect(409);
    assert_eq!(ann.get(&path).expect(200).json()["title"], "New", "{provider}");
    let file = entries.iter().find(|entry| entry["file"]["title"] == "Sales.csv").unwrap();
    let source = json!({ "url": file["file"]["sync_url"] });
    let sheets = ann.post("/api/v1/sync/document", source).expect(200).json();
    assert_eq!(sheets[0]["rows"][1], json!(["Bonn", 4]), "{provider}");
}

/// Stores a document as an attachment of the example sheet and reads both.
fn use_sheets(setup: &Setup, id: &str) {
    let ann = setup.server.ann();
    let root = ann.get(&setup.path(id, "/folders")).expect(200).json();
    let workspace = root["results"][0]["folder"]["id"].as_str().unwrap();
    let list =
        ann.get(&setup.path(id, &format!("/folders/{workspace}?files=1"))).expect(200).json();
    let entries = list["results"].as_array().unwrap();
    let sheet = entries.iter().find(|entry| entry["file"]["title"] == "Sales").unwrap();
    let source = json!({ "url": sheet["file"]["sync_url"] });
    let sheets = ann.post("/api/v1/sync/document", source).expect(200).json();
    assert_eq!(sheets[0]["rows"][1][0], "Pears");
    let folder = entries.iter().find(|entry| entry["folder"]["title"] == "Sales").unwrap();
    let body = json!({ "widget": "bar", "title": "One", "folder_id": folder["folder"]["id"] });
    let created = ann.post(&setup.path(id, "/documents"), body).expect(200).json();
    let document = created["id"].as_str().unwrap();
    let read = ann.get(&setup.path(id, &format!("/documents/{document}"))).expect(200).json();
    assert_eq!(read["title"], "One");
}

#[test]
#[ignore = "needs dnsmasq, openssl, Python and the right to listen at port 443"]
fn the_default_addresses_lead_to_each_provider() {
    drop(TcpListener::bind((ADDRESS, 443)).expect("the right to listen at port 443"));
    for provider in super::PROVIDERS {
        use_provider(provider);
    }
}
