//! The default addresses of the providers: a name server leads their hosts to a server with TLS on this
//! machine, which forwards the requests to the stand-ins.

use std::io::BufRead;
use std::io::BufReader;
use std::net::TcpListener;
use std::process::Child;
use std::process::Command;
use std::process::Stdio;
use std::sync::Mutex;
use std::sync::MutexGuard;
use std::sync::PoisonError;

use chartroom_stand_ins::StandIn;
use chartroom_stand_ins::http::Request;
use chartroom_stand_ins::http::Response;
use chartroom_stand_ins::http::Server;
use serde_json::Value;
use serde_json::json;

use super::Setup;
use crate::cli::external_servers::ExternalProcess;
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
            "doc-00-sheets.googleusercontent.com",
            json!({
                "oauth2.googleapis.com": addresses.token_url,
                "www.googleapis.com": addresses.api_url,
                "docs.google.com": addresses.link_url,
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

/// The programs that stand for the hosts. They end with the test.
struct Hosts {
    process: Child,
    /// File with the certificate authority of the hosts.
    ca_file: String,
    _name_server: ExternalProcess,
    /// Address of the name server.
    dns: String,
}

impl Hosts {
    /// Starts the programs and waits until they serve the hosts.
    fn start(hosts: &Value) -> Self {
        let names = hosts.as_object().unwrap().keys();
        let names: Vec<String> = names.map(|name| format!("--address=/{name}/{ADDRESS}")).collect();
        let (name_server, dns) = start_dnsmasq_with(&names);
        let mut process = Command::new("python3")
            .args(["-B", HOSTS_PROGRAM, ADDRESS, &hosts.to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let served: Value = serde_json::from_str(&line).unwrap();
        let ca_file = served["ca_file"].as_str().unwrap().to_owned();
        Self { process, ca_file, _name_server: name_server, dns }
    }

    /// Starts Chartroom with these settings, so that it finds and trusts the hosts.
    fn start_server(&self, settings: &[(&str, &str)]) -> ServerProcess {
        let network = format!("{ADDRESS}/32");
        let own = [("dns", self.dns.as_str()), ("remote_networks", &network)];
        let environment = vec![("SSL_CERT_FILE".to_owned(), self.ca_file.clone())];
        let launch = Launch { environment, ..Launch::default() };
        let mut server = ServerProcess::prepare(&[&own, settings].concat(), launch);
        server.start();
        server
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
    let (client_id, client_secret) =
        (format!("{provider}_client_id"), format!("{provider}_client_secret"));
    let server = hosts.start_server(&[
        (&client_id, "client-id"),
        (&client_secret, "client-secret"),
        ("googledrive_scope", "full"),
    ]);
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

/// Hosts of shared links, and those to which the providers redirect downloads.
const LINK_HOSTS: [&str; 10] = [
    "accounts.google.com",
    "app.box.com",
    "contoso.sharepoint.com",
    "doc-00-sheets.googleusercontent.com",
    "docs.google.com",
    "drive.google.com",
    "drive.usercontent.google.com",
    "public.boxcloud.com",
    "uc1.dl.dropboxusercontent.com",
    "www.dropbox.com",
];

/// Handles a request to one of [`LINK_HOSTS`]. The last request of each link gets the host as data.
fn serve_link(request: &Request) -> Response {
    let host = request.header("host").unwrap_or_default();
    let parameter = |name: &str| request.parameter(name).unwrap_or_default();
    match (host, request.path.as_str()) {
        ("docs.google.com", "/spreadsheets/d/1secret/export") => {
            Response::redirect("https://accounts.google.com/ServiceLogin")
        }
        ("docs.google.com", "/spreadsheets/d/1a/export") if parameter("format") == "xlsx" => {
            Response::redirect("https://doc-00-sheets.googleusercontent.com/export/1a")
        }
        ("drive.google.com", "/uc") if parameter("export") == "download" => {
            Response::redirect("https://drive.usercontent.google.com/download?id=1a")
        }
        ("www.dropbox.com", "/scl/fi/a/b.csv") if parameter("dl") == "1" => {
            Response::redirect("https://uc1.dl.dropboxusercontent.com/cd/0/get/x/file")
        }
        ("app.box.com", "/shared/static/a.csv") => {
            Response::redirect("https://public.boxcloud.com/d/1/a/download")
        }
        ("contoso.sharepoint.com", path) if parameter("download") == "1" => {
            match request.header("cookie") {
                Some("FedAuth=guest") => Response::text(200, "Host,Value\nsharepoint.com,1\n"),
                _ => {
                    Response::redirect(&format!("https://contoso.sharepoint.com{path}?download=1"))
                        .with("Set-Cookie", "FedAuth=guest; path=/; secure; HttpOnly")
                }
            }
        }
        ("accounts.google.com", _) => Response::text(200, "<!doctype html><title>Sign in</title>")
            .with("Content-Type", "text/html"),
        ("docs.google.com" | "drive.google.com" | "www.dropbox.com" | "app.box.com", _) => {
            Response::text(404, "not found")
        }
        (host, _) => Response::text(200, &format!("Host,Value\n{host},1\n")),
    }
}

#[test]
#[ignore = "needs dnsmasq, openssl, Python and the right to listen at port 443"]
fn public_links_lead_to_the_hosts_of_the_providers() {
    let _port = lock_port();
    let links = Server::start(serve_link).unwrap();
    let hosts: Value = LINK_HOSTS.iter().map(|host| (*host, links.url.clone())).collect();
    let hosts = Hosts::start(&hosts);
    let server = hosts.start_server(&[]);
    let read = |link: &str| server.ann().post("/api/v1/sync/document", json!({ "url": link }));
    for (link, host) in [
        (
            "docs.google.com/spreadsheets/d/1a/edit?gid=0#gid=0",
            "doc-00-sheets.googleusercontent.com",
        ),
        ("drive.google.com/file/d/1a/view", "drive.usercontent.google.com"),
        ("www.dropbox.com/scl/fi/a/b.csv?rlkey=k&dl=0", "uc1.dl.dropboxusercontent.com"),
        ("app.box.com/shared/static/a.csv", "public.boxcloud.com"),
        ("contoso.sharepoint.com/:x:/s/team/abc?e=1", "sharepoint.com"),
    ] {
        let sheets = read(&format!("https://{link}")).expect(200).json();
        assert_eq!(sheets[0]["rows"][1], json!([host, 1]), "{link}");
    }
    // A page for signing in is never read as a table.
    read("https://docs.google.com/spreadsheets/d/1secret/edit").expect(403);
    read("https://docs.google.com/spreadsheets/d/1b/edit#gid=9").expect(404);
}

/// Waits until no other test uses port 443 of [`ADDRESS`].
fn lock_port() -> MutexGuard<'static, ()> {
    static PORT: Mutex<()> = Mutex::new(());
    let guard = PORT.lock().unwrap_or_else(PoisonError::into_inner);
    drop(TcpListener::bind((ADDRESS, 443)).expect("the right to listen at port 443"));
    guard
}

#[test]
#[ignore = "needs dnsmasq, openssl, Python and the right to listen at port 443"]
fn the_default_addresses_lead_to_each_provider() {
    let _port = lock_port();
    for provider in super::PROVIDERS {
        use_provider(provider);
    }
}
