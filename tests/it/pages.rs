//! The built-in pages, as a browser gets them.

use serde_json::json;

use crate::world::World;

/// What a browser says it takes.
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

    // A stranger's browser gets a page, a stranger's program a problem document.
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
    assert!(page.contains("<h1>Sales &#38; more</h1>") && page.contains("2 inside"), "{page}");
    assert!(
        page.contains("All charts and folders") && page.contains("thumbnail.png?v=1"),
        "{page}"
    );
    // Every address in the list of the folder is a page, and is on that of the folder.
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
    let css = world.nobody().get("/assets/app.css").expect(200);
    assert_eq!(css.header("content-type"), "text/css; charset=utf-8");
    let tag = css.header("etag").to_owned();
    world.nobody().with("if-none-match", &tag).get("/assets/app.css").expect(304);
    let font = world.nobody().get("/assets/fonts/noto-sans-regular.ttf").expect(200);
    assert_eq!(font.header("content-type"), "font/ttf");
    world.nobody().get("/assets/shells/base.html").expect(404);
    world.nobody().get("/assets/../schema.sql").expect(404);
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
