//! Tests of the server-rendered page of a chart and of the view behind a share link.

use serde_json::Value;
use serde_json::json;

use crate::client::Client;
use crate::server_process::ServerProcess;

/// `Accept` header of a browser.
const BROWSER_ACCEPT: &str = "text/html,application/xhtml+xml,*/*;q=0.8";

/// Creates a document of Ann and returns its API path and the path of its page.
fn create_document(server: &ServerProcess, folder: &str) -> (String, String) {
    let body = json!({ "widget": "bar", "folder": folder });
    let created = server.ann().post("/api/v1/create-document", body).expect(200).json();
    let local_path = |name: &str| {
        created[name].as_str().unwrap().strip_prefix(&server.base_url).unwrap().to_owned()
    };
    (local_path("endpoint"), local_path("document_view"))
}

/// Shares a document of Ann with additional fields in the body, and returns the response.
fn share_document(server: &ServerProcess, endpoint: &str, fields: &Value) -> Value {
    let id = endpoint.rsplit('/').next().unwrap();
    let mut body = json!({ "owner": "me", "document": id });
    body.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    server.ann().post("/api/v1/share", body).expect(200).json()
}

/// Returns the page that a browser gets.
fn get_page(client: &Client<'_>, path: &str) -> String {
    client.with_header("accept", BROWSER_ACCEPT).get(path).expect(200).text()
}

/// Panics if the page has inline styles or scripts, which its content security policy forbids.
fn assert_no_inline_code(page: &str) {
    assert!(!page.contains(" style=") && !page.contains("<style"), "{page}");
    assert!(!page.contains(" onclick=") && !page.contains("<script>"), "{page}");
}

#[test]
fn chart_page_is_readable_without_scripts() {
    let server = ServerProcess::new();
    let (endpoint, view) = create_document(&server, "/Sales & more/Größe");
    let title = json!({ "title": "<b>Q3 & Q4" });
    server.ann().patch(&endpoint, title).expect(200);
    let page = get_page(&server.ann(), &view);
    assert_no_inline_code(&page);
    assert!(page.contains("<h1 class=\"hidden\">&#60;b&#62;Q3 &#38; Q4</h1>"), "{page}");
    // The page contains the rendered image with its text alternative.
    assert!(page.contains("<template shadowrootmode=\"open\"><svg part=\"image\" "), "{page}");
    assert!(page.contains("role=\"img\""), "{page}");
    // The page also contains the data.
    assert!(page.contains("<th scope=\"row\">North</th>"), "{page}");
    for download in [".png?download=1", ".svg?download=1", ".html?download=1", "?"] {
        let address = format!("{endpoint}{download}");
        assert!(page.contains(&format!("\"{address}\"")), "{address} is not on {page}");
        server.ann().get(&address).expect(200);
    }
    // Each step of the breadcrumb opens.
    let breadcrumb =
        page.split("<nav class=\"crumbs\"").nth(1).unwrap().split("</nav>").next().unwrap();
    let links: Vec<&str> =
        breadcrumb.split("href=\"").skip(1).map(|part| part.split('"').next().unwrap()).collect();
    assert_eq!(links.len(), 3, "{breadcrumb}");
    for link in links {
        server.ann().get(link).expect(200);
    }
    // The page gives the time for people and for programs.
    let updated =
        server.ann().get(&endpoint).expect(200).json()["updated"].as_str().unwrap().to_owned();
    assert!(page.contains(&format!("datetime=\"{updated}\">")), "{page}");
    assert!(!page.contains(&format!(">{updated}<")), "{page}");
    assert!(page.contains(" UTC</time>"), "{page}");
}

#[test]
fn chart_page_states_the_access_and_hides_folders_without_access() {
    let server = ServerProcess::new();
    let (endpoint, view) = create_document(&server, "/Plans");
    let anns_page = get_page(&server.ann(), &view);
    assert!(anns_page.contains("data-writes") && anns_page.contains(">Plans</a>"), "{anns_page}");
    assert!(!anns_page.contains("class=\"notice\""), "{anns_page}");

    share_document(&server, &endpoint, &json!({ "email": "ben@example.org" }));
    let bens_page = get_page(&server.ben(), &view);
    assert!(bens_page.contains("not change it. Ann can give you write access."), "{bens_page}");
    let leads_back =
        |page: &str| page.contains("\">Shared with me</a>") && !page.contains(">Plans<");
    assert!(!bens_page.contains("data-writes") && leads_back(&bens_page), "{bens_page}");
    share_document(&server, &endpoint, &json!({ "email": "ben@example.org", "mode": "w" }));
    let bens_page = get_page(&server.ben(), &view);
    assert!(
        bens_page.contains("data-writes") && !bens_page.contains("class=\"notice\""),
        "{bens_page}"
    );
    assert!(leads_back(&bens_page), "{bens_page}");
    server.cid().with_header("accept", BROWSER_ACCEPT).get(&view).expect(404);

    // With a link, the page and everything that it refers to open too.
    let link = share_document(&server, &endpoint, &json!({}));
    let token = link["link"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
    let guest_page = get_page(&server.guest(), &format!("{view}?share={token}"));
    assert!(guest_page.contains("data-user=\"\""), "{guest_page}");
    let download = format!("{endpoint}.png?share={token}&download=1");
    assert!(
        guest_page.contains(&download.replace('&', "&#38;")) || guest_page.contains(&download),
        "{guest_page}"
    );
    server.guest().get(&download).expect(200);

    server.ann().delete(&endpoint).expect(204);
    let trash_page = get_page(&server.ann(), &view);
    assert!(trash_page.contains("This chart is in the trash."), "{trash_page}");
}

#[test]
fn public_chart_page_has_link_preview_metadata() {
    let server = ServerProcess::new();
    let (endpoint, view) = create_document(&server, "/");
    let private_page = get_page(&server.ann(), &view);
    assert!(
        !private_page.contains("og:image") && !private_page.contains("id=\"public\""),
        "{private_page}"
    );
    let mut document = server.ann().get(&endpoint).expect(200).json();
    document["isPublic"] = json!(true);
    server.ann().put(&endpoint, document).expect(200);
    let public_page = get_page(&server.guest(), &view);
    assert!(public_page.contains("id=\"public\""), "{public_page}");
    let image =
        public_page.split("og:image\" content=\"").nth(1).unwrap().split('"').next().unwrap();
    let image = image.strip_prefix(&server.base_url).unwrap();
    assert_eq!(server.guest().get(image).expect(200).header("content-type"), "image/png");
}

#[test]
fn share_link_view_shows_image_source_and_data() {
    let server = ServerProcess::new();
    let (endpoint, view) = create_document(&server, "/");
    let mut document = server.ann().get(&endpoint).expect(200).json();
    document["style"]["footer"] = json!("Source: <b>Harbour</b> office");
    server.ann().put(&endpoint, document).expect(200);
    let link = share_document(&server, &endpoint, &json!({}));
    let path = link["link"].as_str().unwrap().strip_prefix(&server.base_url).unwrap().to_owned();
    let token = path.rsplit('/').next().unwrap().to_owned();
    let guest_page = get_page(&server.guest(), &path);
    assert_no_inline_code(&guest_page);
    assert!(guest_page.contains("<div class=\"paper\"><svg "), "{guest_page}");
    assert!(
        guest_page.contains("<p class=\"chart-source\">Source: Harbour office</p>"),
        "{guest_page}"
    );
    assert!(guest_page.contains("Show data as table"), "{guest_page}");
    assert!(guest_page.contains("<th scope=\"row\">North</th>"), "{guest_page}");
    assert!(!guest_page.contains("Open in Chartroom"), "{guest_page}");
    let image =
        guest_page.split("og:image\" content=\"").nth(1).unwrap().split('"').next().unwrap();
    let image = image.strip_prefix(&server.base_url).unwrap().replace("&#38;", "&");
    assert_eq!(server.guest().get(&image).expect(200).header("content-type"), "image/png");
    // A caller who is signed in can navigate from there.
    let bens_page = get_page(&server.ben(), &path);
    let view_path = format!("{view}?share={token}");
    assert!(bens_page.contains(&format!("href=\"{view_path}\"")), "{bens_page}");
    get_page(&server.ben(), &view_path);
}
