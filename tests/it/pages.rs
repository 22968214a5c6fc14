//! Tests of the built-in pages, as a browser gets them.

use serde_json::json;

use crate::world::World;

/// `Accept` header of a browser.
const BROWSER: &str = "text/html,application/xhtml+xml,*/*;q=0.8";

#[test]
fn the_library_shows_ones_charts_and_leads_others_to_the_sign_in() {
    let world = World::new();
    let made = world.ann().post("/api/v1/create-document", json!({ "widget": "bar" })).expect(200);
    let endpoint = made.json()["endpoint"].as_str().unwrap().to_owned();

    let page = world.ann().get("/").expect(200);
    assert!(page.header("content-type").starts_with("text/html"), "{page}");
    let path = endpoint.strip_prefix(&world.base).unwrap();
    assert!(page.text().contains(&format!("{path}/thumbnail.png")), "{page}");
    let thumbnail = world.ann().get(&format!("{path}/thumbnail.png")).expect(200);
    assert_eq!(&thumbnail.body[1..4], b"PNG");

    assert!(!world.ben().get("/").expect(200).text().contains(path));
    assert_eq!(world.nobody().get("/").expect(303).header("location"), "/sign-in");
}

#[test]
fn a_charts_page_is_for_those_who_may_read_it() {
    let world = World::new();
    let made = world.ann().post("/api/v1/create-document", json!({ "widget": "pie" })).expect(200);
    let view = made.json()["document_view"].as_str().unwrap().to_owned();
    let path = view.strip_prefix(&world.base).unwrap();

    let page = world.ann().get(path).expect(200).text();
    assert!(page.contains(".svg?download=1") && page.contains(".png?download=1"), "{page}");

    // A guest's browser gets a page. A guest's program gets a problem document.
    let stranger = world.cid().with("accept", BROWSER).get(path).expect(404);
    assert!(stranger.header("content-type").starts_with("text/html"), "{stranger}");
    assert_eq!(stranger.header("vary"), "Accept");
    let stranger = world.cid().get(path).expect(404);
    assert_eq!(stranger.header("content-type"), "application/problem+json");

    let nobody = world.nobody().with("accept", BROWSER).get(path).expect(303);
    assert!(nobody.header("location").starts_with("/sign-in?next=%2Fd%2F"), "{nobody}");
}

#[test]
fn a_folders_page_is_where_the_addresses_of_folders_lead() {
    let world = World::new();
    for folder in ["/Sales & more", "/Sales & more/Größe"] {
        let body = json!({ "widget": "bar", "folder": folder });
        world.ann().post("/api/v1/create-document", body).expect(200);
    }
    let path = |url: &serde_json::Value| {
        url.as_str().unwrap().strip_prefix(&world.base).unwrap().to_owned()
    };
    let list = |path: &str| world.ann().get(&format!("/api/v1/users/me/list{path}")).expect(200);
    let top = list("").json();
    let view = path(&top["results"][0]["urls"]["view"]);
    let page = world.ann().get(&view).expect(200).text();
    assert!(page.contains("<h1>Sales &#38; more</h1>") && page.contains("2 in all"), "{page}");
    assert!(page.contains("My charts") && page.contains("thumbnail.png?v=1"), "{page}");
    // Every address in the listing of the folder is a page, and the folder's page has a link to it.
    for entry in list("/Sales%20%26%20more").json()["results"].as_array().unwrap() {
        let inside = path(&entry["urls"]["view"]);
        assert!(page.contains(&format!("\"{inside}\"")), "{inside} is not on {page}");
        world.ann().get(&inside).expect(200);
    }
    let document = world
        .ann()
        .get(&path(&list("/Sales%20%26%20more").json()["results"][1]["urls"]["endpoint"]));
    let parent = path(&document.expect(200).json()["urls"]["parent_folder"]);
    assert_eq!(parent, view);

    let root = view.rsplit_once('/').unwrap().0;
    assert!(world.ann().get(root).expect(200).text().contains(&view));
    assert!(world.ann().get("/").expect(200).text().contains(root));
    world.cid().get(&view).expect(404);
    world.cid().get(root).expect(404);
    let nobody = world.nobody().with("accept", BROWSER).get(&view).expect(303);
    assert!(nobody.header("location").starts_with("/sign-in?next=%2Ff%2F"), "{nobody}");
    world.ann().get(&format!("{root}/None")).expect(404);
}

#[test]
fn an_error_of_the_interface_stays_a_problem_document_in_a_browser() {
    let world = World::new();
    let answer = world.ann().with("accept", BROWSER).get("/api/v1/orgs/none").expect(404);
    assert_eq!(answer.header("content-type"), "application/problem+json");
    let kind = answer.json()["type"].as_str().unwrap().to_owned();
    assert!(world.nobody().get(&kind).expect(200).text().contains("not_found"));
    world.nobody().get("/help/errors/nonsense").expect(404);
}

#[test]
fn static_files_are_served_but_not_the_templates() {
    let world = World::new();
    let page = world.nobody().get("/sign-in").expect(200).text();
    let after = page.split("href=\"").find(|it| it.contains("/css/app.css\"")).unwrap();
    let address = after.split('"').next().unwrap();
    let css = world.nobody().get(address).expect(200);
    assert_eq!(css.header("content-type"), "text/css; charset=utf-8");
    assert_eq!(css.header("cache-control"), "public, max-age=31536000, immutable");
    let tag = css.header("etag").to_owned();
    world.nobody().with("if-none-match", &tag).get(address).expect(304);
    let small = world.nobody().with("accept-encoding", "gzip").get(address).expect(200);
    assert_eq!(small.header("vary"), "accept-encoding");
    assert!(small.header("etag").ends_with("-gz\""), "{small}");
    // Files refer to each other by relative paths, so fonts are next to the style sheet.
    let folder = address.strip_suffix("css/app.css").unwrap();
    let font = world.nobody().get(&format!("{folder}fonts/noto-sans-regular.ttf")).expect(200);
    assert_eq!(font.header("content-type"), "font/ttf");
    // A page from before an update still finds its files, but the browser no longer caches them.
    let old = world.nobody().get("/assets/000000000000/css/app.css").expect(200);
    assert_eq!(old.header("cache-control"), "no-cache");
    assert_eq!(old.text(), css.text());
    world.nobody().get(&format!("{folder}shells/base.html")).expect(404);
    world.nobody().get(&format!("{folder}../../schema.sql")).expect(404);
    world.nobody().get("/assets/shells/base.html").expect(404);
    world.nobody().get("/assets/../schema.sql").expect(404);
}

#[test]
fn a_page_of_the_library_names_every_module_that_its_script_needs() {
    let world = World::new();
    let page = world.ann().get("/").expect(200).text();
    let preloaded: Vec<&str> = page
        .split("modulepreload\" href=\"")
        .skip(1)
        .filter_map(|it| it.split('"').next())
        .collect();
    assert!((5..=16).contains(&preloaded.len()), "{preloaded:?}");
    for address in preloaded {
        let script = world.nobody().get(address).expect(200);
        assert_eq!(script.header("content-type"), "text/javascript; charset=utf-8");
        for import in script.text().split("from \"./").skip(1) {
            let name = import.split('"').next().unwrap();
            assert!(page.contains(&format!("/js/{name}\"")), "{address} imports {name}");
        }
    }
}

#[test]
fn the_first_listing_is_in_the_page_whatever_its_titles_say() {
    let world = World::new();
    let title = "</script><script>alert(1)</script>";
    let made = world.ann().post("/api/v1/create-document", json!({ "widget": "bar" })).expect(200);
    let path =
        made.json()["endpoint"].as_str().unwrap().strip_prefix(&world.base).unwrap().to_owned();
    world.ann().patch(&path, json!({ "title": title })).expect(200);
    let page = world.ann().get("/").expect(200).text();
    assert!(!page.contains(title), "{page}");
    let boot = page.split("id=\"boot\">").nth(1).unwrap().split("</script>").next().unwrap();
    let boot: serde_json::Value = serde_json::from_str(boot).unwrap();
    assert_eq!(boot["listing"]["results"][0]["document"]["title"], title);
    assert_eq!(boot["user"]["id"], world.ann().id.as_str());
    // The page has the same entries as the API, except that the addresses are those of pages.
    let listed = world.ann().get("/api/v1/users/me/recent").expect(200).json();
    assert_eq!(listed["count"], boot["listing"]["count"]);
    assert_eq!(
        listed["results"][0]["document"]["id"],
        boot["listing"]["results"][0]["document"]["id"]
    );
}

#[test]
fn the_other_views_show_what_is_shared_thrown_away_and_found() {
    let world = World::new();
    let create = |folder: &str| {
        let body = json!({ "widget": "bar", "folder": folder });
        let made = world.ann().post("/api/v1/create-document", body).expect(200).json();
        made["endpoint"].as_str().unwrap().strip_prefix(&world.base).unwrap().to_owned()
    };
    let (kept, thrown) = (create("/Kept"), create("/"));
    world.ann().delete(&thrown).expect(204);
    let id = kept.rsplit('/').next().unwrap();
    let share =
        json!({ "document": id, "owner": world.ann().id, "email": "ben@example.org", "mode": "r" });
    world.ann().post("/api/v1/share", share).expect(200);

    let trash = world.ann().get("/trash").expect(200).text();
    assert!(trash.contains(&format!("{thrown}/thumbnail.png")), "{trash}");
    assert!(trash.contains("Deleted <time datetime=\"20") && !trash.contains(&kept), "{trash}");
    let recent = world.ann().get("/recent").expect(200).text();
    assert!(recent.contains(&kept) && !recent.contains(&thrown), "{recent}");
    assert!(world.ben().get("/shared").expect(200).text().contains(&kept));
    assert!(!world.cid().get("/shared").expect(200).text().contains(&kept));
    let found = world.ann().get("/search?q=kept").expect(200).text();
    assert!(found.contains("<mark>Kept</mark>") && found.contains("/f/"), "{found}");
    assert!(world.ann().get("/search?q=").expect(200).text().contains("Enter words to find"));
    assert!(world.ann().get("/search?q=%22%22").expect(200).text().contains("empty"));
    world.cid().get(&format!("/trash?owner={}", world.ann().id)).expect(404);
}

#[test]
fn the_help_lists_every_call() {
    let world = World::new();
    let page = world.nobody().get("/help/api").expect(200).text();
    let described = world.nobody().get("/api/v1/openapi.json").expect(200).json();
    for path in described["paths"].as_object().unwrap().keys() {
        assert!(page.contains(path.as_str()), "{path}");
    }
}
