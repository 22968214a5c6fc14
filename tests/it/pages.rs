//! Tests of the built-in pages.

use std::collections::HashSet;

use serde_json::json;

use crate::client::Client;
use crate::server_process::ServerProcess;

/// `Accept` header of a browser.
const BROWSER_ACCEPT: &str = "text/html,application/xhtml+xml,*/*;q=0.8";

#[test]
fn library_page_shows_own_charts_and_redirects_guests_to_sign_in() {
    let server = ServerProcess::new();
    let created =
        server.ann().post("/api/v1/create-document", json!({ "widget": "bar" })).expect(200);
    let endpoint = created.json()["endpoint"].as_str().unwrap().to_owned();

    let page = server.ann().get("/").expect(200);
    assert!(page.header("content-type").starts_with("text/html"), "{page}");
    let path = endpoint.strip_prefix(&server.base_url).unwrap();
    assert!(page.text().contains(&format!("{path}/thumbnail.png")), "{page}");
    let thumbnail = server.ann().get(&format!("{path}/thumbnail.png")).expect(200);
    assert_eq!(&thumbnail.body[1..4], b"PNG");

    assert!(!server.ben().get("/").expect(200).text().contains(path));
    assert_eq!(server.guest().get("/").expect(303).header("location"), "/sign-in");
}

#[test]
fn chart_page_requires_read_access() {
    let server = ServerProcess::new();
    let created =
        server.ann().post("/api/v1/create-document", json!({ "widget": "pie" })).expect(200);
    let view = created.json()["document_view"].as_str().unwrap().to_owned();
    let path = view.strip_prefix(&server.base_url).unwrap();

    let page = server.ann().get(path).expect(200).text();
    assert!(page.contains(".svg?download=1") && page.contains(".png?download=1"), "{page}");

    // A guest's browser gets a page. A guest's program gets a problem document.
    let stranger = server.cid().with_header("accept", BROWSER_ACCEPT).get(path).expect(404);
    assert!(stranger.header("content-type").starts_with("text/html"), "{stranger}");
    assert_eq!(stranger.header("vary"), "Accept");
    let stranger = server.cid().get(path).expect(404);
    assert_eq!(stranger.header("content-type"), "application/problem+json");

    let guest = server.guest().with_header("accept", BROWSER_ACCEPT).get(path).expect(303);
    assert!(guest.header("location").starts_with("/sign-in?next=%2Fd%2F"), "{guest}");
}

#[test]
fn folder_urls_open_folder_pages() {
    let server = ServerProcess::new();
    for folder in ["/Sales & more", "/Sales & more/Größe"] {
        let body = json!({ "widget": "bar", "folder": folder });
        server.ann().post("/api/v1/create-document", body).expect(200);
    }
    let local_path = |url: &serde_json::Value| {
        url.as_str().unwrap().strip_prefix(&server.base_url).unwrap().to_owned()
    };
    let list = |local_path: &str| {
        server.ann().get(&format!("/api/v1/users/me/list{local_path}")).expect(200)
    };
    let root_list = list("").json();
    let view = local_path(&root_list["results"][0]["urls"]["view"]);
    let page = server.ann().get(&view).expect(200).text();
    assert!(page.contains("<h1>Sales &#38; more</h1>") && page.contains("2 in total"), "{page}");
    assert!(page.contains("My charts") && page.contains("thumbnail.png?v=1"), "{page}");
    // Every address in the listing of the folder is a page, and the folder's page has a link to it.
    for entry in list("/Sales%20%26%20more").json()["results"].as_array().unwrap() {
        let entry_path = local_path(&entry["urls"]["view"]);
        assert!(page.contains(&format!("\"{entry_path}\"")), "{entry_path} is not on {page}");
        server.ann().get(&entry_path).expect(200);
    }
    let document = server
        .ann()
        .get(&local_path(&list("/Sales%20%26%20more").json()["results"][1]["urls"]["endpoint"]));
    let parent = local_path(&document.expect(200).json()["urls"]["parent_folder"]);
    assert_eq!(parent, view);

    let root = view.rsplit_once('/').unwrap().0;
    assert!(server.ann().get(root).expect(200).text().contains(&view));
    assert!(server.ann().get("/").expect(200).text().contains(root));
    server.cid().get(&view).expect(404);
    server.cid().get(root).expect(404);
    let guest = server.guest().with_header("accept", BROWSER_ACCEPT).get(&view).expect(303);
    assert!(guest.header("location").starts_with("/sign-in?next=%2Ff%2F"), "{guest}");
    server.ann().get(&format!("{root}/None")).expect(404);
}

#[test]
fn breadcrumbs_of_a_shared_subfolder_contain_the_shared_folder() {
    let server = ServerProcess::new();
    let body = json!({ "widget": "bar", "folder": "/Secret/Plans/2026/May" });
    server.ann().post("/api/v1/create-document", body).expect(200);
    let owner = server.ann().id;
    let share = json!({ "folder": "/Secret/Plans", "owner": owner, "email": "ben@example.org" });
    server.ann().post("/api/v1/share", share).expect(200);
    // Returns the paths of the breadcrumbs, and whether the page shows the folder above the shared
    // one.
    let read = |client: &Client<'_>, path: &str| {
        let page = client.get(&format!("/f/{owner}{path}")).expect(200).text();
        let crumbs = page.split("aria-label=\"Breadcrumb\"").nth(1).unwrap_or_default();
        let crumbs = crumbs.split("</nav>").next().unwrap().split("href=\"").skip(1);
        let paths = crumbs.map(|part| part.split('"').next().unwrap().replace(&owner, "ann"));
        (paths.collect::<Vec<_>>(), page.contains("Secret\"") || page.contains("Secret<"))
    };
    let ben = server.ben();
    assert_eq!(read(&ben, "/Secret/Plans").0, ["/shared"]);
    let (crumbs, shows_parent) = read(&ben, "/Secret/Plans/2026");
    assert_eq!(crumbs, ["/shared", "/f/ann/Secret/Plans"]);
    assert!(!shows_parent);
    let (crumbs, _) = read(&ben, "/Secret/Plans/2026/May");
    assert_eq!(crumbs, ["/shared", "/f/ann/Secret/Plans", "/f/ann/Secret/Plans/2026"]);
    let (crumbs, shows_parent) = read(&server.ann(), "/Secret/Plans/2026");
    assert_eq!(crumbs, ["/f/ann", "/f/ann/Secret", "/f/ann/Secret/Plans"]);
    assert!(shows_parent);
    for path in ["/Secret", ""] {
        ben.get(&format!("/f/{owner}{path}")).expect(404);
    }
}

#[test]
fn library_has_links_to_all_folders() {
    /// More than fit on one page.
    const FOLDER_COUNT: usize = 101;
    let server = ServerProcess::new();
    let name_of = |index: usize| format!("Folder-{index:03}");
    for index in 0..FOLDER_COUNT {
        let name = name_of(index);
        server.ann().put(&format!("/api/v1/users/me/folders/{name}"), json!({})).expect(200);
        let (owner, folder) = (server.ann().id, format!("/{name}"));
        let share = json!({ "folder": folder, "owner": owner, "email": "ben@example.org" });
        server.ann().post("/api/v1/share", share).expect(200);
    }
    let check = |client: &Client<'_>, first_page: &str| {
        let mut names = HashSet::new();
        let mut pages = 0;
        let mut next = Some(first_page.to_owned());
        while let Some(url) = next {
            let page = client.get(&url).expect(200).text();
            names.extend((0..FOLDER_COUNT).map(name_of).filter(|name| page.contains(name)));
            pages += 1;
            assert_eq!(page.contains("Previous folders"), pages > 1, "{url}");
            let link = page.split_once("\">Next folders</a>");
            next = link.map(|(before, _)| before.rsplit("href=\"").next().unwrap().to_owned());
        }
        assert_eq!((names.len(), pages), (FOLDER_COUNT, 2), "{first_page}");
    };
    check(&server.ann(), "/");
    check(&server.ben(), "/shared");
}

#[test]
fn api_error_is_a_problem_document_even_for_a_browser() {
    let server = ServerProcess::new();
    let response =
        server.ann().with_header("accept", BROWSER_ACCEPT).get("/api/v1/orgs/none").expect(404);
    assert_eq!(response.header("content-type"), "application/problem+json");
    let problem_type = response.json()["type"].as_str().unwrap().to_owned();
    assert!(server.guest().get(&problem_type).expect(200).text().contains("not_found"));
    server.guest().get("/help/errors/nonsense").expect(404);
}

#[test]
fn static_files_are_served_but_not_the_templates() {
    let server = ServerProcess::new();
    let page = server.guest().get("/sign-in").expect(200).text();
    let rest = page.split("href=\"").find(|part| part.contains("/css/bundle-base.css\"")).unwrap();
    let address = rest.split('"').next().unwrap();
    let css = server.guest().get(address).expect(200);
    assert_eq!(css.header("content-type"), "text/css; charset=utf-8");
    assert_eq!(css.header("cache-control"), "public, max-age=31536000, immutable");
    let tag = css.header("etag").to_owned();
    server.guest().with_header("if-none-match", &tag).get(address).expect(304);
    let compressed = server.guest().with_header("accept-encoding", "gzip").get(address).expect(200);
    assert_eq!(compressed.header("vary"), "accept-encoding");
    assert!(compressed.header("etag").ends_with("-gz\""), "{compressed}");
    // Files refer to each other by relative paths, so fonts are next to the style sheet.
    let folder = address.strip_suffix("css/bundle-base.css").unwrap();
    let font = server.guest().get(&format!("{folder}fonts/regular-latin.woff2")).expect(200);
    assert_eq!(font.header("content-type"), "font/woff2");
    assert_eq!(font.header("cache-control"), "public, max-age=31536000, immutable");
    assert!(page.contains(&format!("{folder}fonts/regular-latin.woff2\" as=\"font\"")), "{page}");
    server.guest().get(&format!("{folder}fonts/none.woff2")).expect(404);
    // A page from before an update still finds its files, but the browser no longer caches them.
    let old_version = server.guest().get("/assets/000000000000/css/bundle-base.css").expect(200);
    assert_eq!(old_version.header("cache-control"), "no-cache");
    assert_eq!(old_version.text(), css.text());
    server.guest().get(&format!("{folder}shells/base.html")).expect(404);
    server.guest().get(&format!("{folder}../../schema.sql")).expect(404);
    server.guest().get("/assets/shells/base.html").expect(404);
    server.guest().get("/assets/../schema.sql").expect(404);
}

#[test]
fn library_page_preloads_every_imported_module() {
    let server = ServerProcess::new();
    let page = server.ann().get("/").expect(200).text();
    let preloaded: Vec<&str> = page
        .split("modulepreload\" href=\"")
        .skip(1)
        .filter_map(|part| part.split('"').next())
        .collect();
    assert!((2..=16).contains(&preloaded.len()), "{preloaded:?}");
    for address in preloaded {
        let script = server.guest().get(address).expect(200);
        assert_eq!(script.header("content-type"), "text/javascript; charset=utf-8");
        for import in script.text().split("from \"./").skip(1) {
            let name = import.split('"').next().unwrap();
            assert!(page.contains(&format!("/js/{name}\"")), "{address} imports {name}");
        }
    }
}

#[test]
fn library_page_embeds_the_first_listing_escaped() {
    let server = ServerProcess::new();
    let title = "</script><script>alert(1)</script>";
    let created =
        server.ann().post("/api/v1/create-document", json!({ "widget": "bar" })).expect(200);
    let path = created.json()["endpoint"]
        .as_str()
        .unwrap()
        .strip_prefix(&server.base_url)
        .unwrap()
        .to_owned();
    server.ann().patch(&path, json!({ "title": title })).expect(200);
    let page = server.ann().get("/").expect(200).text();
    assert!(!page.contains(title), "{page}");
    let embedded = page.split("id=\"boot\">").nth(1).unwrap().split("</script>").next().unwrap();
    let embedded: serde_json::Value = serde_json::from_str(embedded).unwrap();
    assert_eq!(embedded["listing"]["results"][0]["document"]["title"], title);
    assert_eq!(embedded["user"]["id"], server.ann().id.as_str());
    // The page has the same entries as the API, except that the addresses are those of pages.
    let listed = server.ann().get("/api/v1/users/me/recent").expect(200).json();
    assert_eq!(listed["count"], embedded["listing"]["count"]);
    assert_eq!(
        listed["results"][0]["document"]["id"],
        embedded["listing"]["results"][0]["document"]["id"]
    );
}

#[test]
fn trash_recent_shared_and_search_pages_list_their_nodes() {
    let server = ServerProcess::new();
    let create = |folder: &str| {
        let body = json!({ "widget": "bar", "folder": folder });
        let created = server.ann().post("/api/v1/create-document", body).expect(200).json();
        created["endpoint"].as_str().unwrap().strip_prefix(&server.base_url).unwrap().to_owned()
    };
    let (kept, trashed) = (create("/Kept"), create("/"));
    server.ann().delete(&trashed).expect(204);
    let id = kept.rsplit('/').next().unwrap();
    let ann = server.ann().id;
    let share = json!({ "document": id, "owner": ann, "email": "ben@example.org", "mode": "r" });
    server.ann().post("/api/v1/share", share).expect(200);

    let trash = server.ann().get("/trash").expect(200).text();
    assert!(trash.contains(&format!("{trashed}/thumbnail.png")), "{trash}");
    assert!(trash.contains("Deleted <time datetime=\"20") && !trash.contains(&kept), "{trash}");
    let recent = server.ann().get("/recent").expect(200).text();
    assert!(recent.contains(&kept) && !recent.contains(&trashed), "{recent}");
    assert!(server.ben().get("/shared").expect(200).text().contains(&kept));
    assert!(!server.cid().get("/shared").expect(200).text().contains(&kept));
    let results = server.ann().get("/search?q=kept").expect(200).text();
    assert!(results.contains("<mark>Kept</mark>") && results.contains("/f/"), "{results}");
    assert!(server.ann().get("/search?q=").expect(200).text().contains("Enter words to find"));
    let long = format!("/search?q={}", "w".repeat(501));
    for (language, sentence) in [
        ("en", "The search must not have more than 500 characters."),
        ("de", "Die Suche darf höchstens 500 Zeichen haben."),
    ] {
        let ann = server.ann().with_header("accept-language", language);
        let refused = ann.get(&long).expect(200).text();
        assert!(refused.contains(sentence), "{refused}");
    }
    server.cid().get(&format!("/trash?owner={}", server.ann().id)).expect(404);
}

#[test]
fn api_help_page_lists_every_path() {
    let server = ServerProcess::new();
    let page = server.guest().get("/help/api").expect(200).text();
    let openapi = server.guest().get("/api/v1/openapi.json").expect(200).json();
    for path in openapi["paths"].as_object().unwrap().keys() {
        assert!(page.contains(path.as_str()), "{path}");
    }
}

#[test]
fn trash_page_escapes_the_owner_in_its_links() {
    let server = ServerProcess::new();
    let ann = server.ann();
    for _ in 0..49 {
        let body = json!({ "widget": "bar" });
        let created = ann.post("/api/v1/create-document", body).expect(200).json();
        let path = created["endpoint"].as_str().unwrap().strip_prefix(&server.base_url).unwrap();
        ann.delete(path).expect(204);
    }
    let page = ann.get("/trash?owner=%20ann%40example.org%20").expect(200).text();
    let next = "/trash?owner=+ann%40example.org+&";
    let next_in_html = next.replace('&', "&#38;");
    assert!(page.contains(&format!("{next_in_html}offset=48")), "{page}");
}
