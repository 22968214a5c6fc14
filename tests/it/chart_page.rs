//! Tests of the server-rendered page of a chart and of the view behind a share link.

use serde_json::Value;
use serde_json::json;

use crate::client::Client;
use crate::world::World;

/// `Accept` header of a browser.
const BROWSER: &str = "text/html,application/xhtml+xml,*/*;q=0.8";

/// Creates a document of Ann's and returns its API path and the path of its page.
fn document(world: &World, folder: &str) -> (String, String) {
    let body = json!({ "widget": "bar", "folder": folder });
    let made = world.ann().post("/api/v1/create-document", body).expect(200).json();
    let path =
        |name: &str| made[name].as_str().unwrap().strip_prefix(&world.base).unwrap().to_owned();
    (path("endpoint"), path("document_view"))
}

fn share(world: &World, endpoint: &str, with: &Value) -> Value {
    let id = endpoint.rsplit('/').next().unwrap();
    let mut body = json!({ "owner": "me", "document": id });
    body.as_object_mut().unwrap().extend(with.as_object().unwrap().clone());
    world.ann().post("/api/v1/share", body).expect(200).json()
}

fn page(client: &Client<'_>, path: &str) -> String {
    client.with("accept", BROWSER).get(path).expect(200).text()
}

/// Checks that the page has nothing that its policy forbids, because a browser would not load it.
fn keeps_the_policy(page: &str) {
    assert!(!page.contains(" style=") && !page.contains("<style"), "{page}");
    assert!(!page.contains(" onclick=") && !page.contains("<script>"), "{page}");
}

#[test]
fn a_charts_page_can_be_read_without_scripts() {
    let world = World::new();
    let (endpoint, view) = document(&world, "/Sales & more/Größe");
    let title = json!({ "title": "<b>Q3 & Q4" });
    world.ann().patch(&endpoint, title).expect(200);
    let page = page(&world.ann(), &view);
    keeps_the_policy(&page);
    assert!(page.contains("<h1>&#60;b&#62;Q3 &#38; Q4</h1>"), "{page}");
    // The page contains the rendered image with its text alternative.
    assert!(page.contains("<template shadowrootmode=\"open\"><svg "), "{page}");
    assert!(page.contains("role=\"img\""), "{page}");
    // The page also contains the data.
    assert!(page.contains("<th scope=\"row\">North</th>"), "{page}");
    for download in [".png?download=1", ".svg?download=1", ".html?download=1", "?"] {
        let address = format!("{endpoint}{download}");
        assert!(page.contains(&format!("\"{address}\"")), "{address} is not on {page}");
        world.ann().get(&address).expect(200);
    }
    // Each step of the breadcrumb opens.
    let steps = page.split("<nav class=\"crumbs\"").nth(1).unwrap().split("</nav>").next().unwrap();
    let links: Vec<&str> =
        steps.split("href=\"").skip(1).map(|it| it.split('"').next().unwrap()).collect();
    assert_eq!(links.len(), 3, "{steps}");
    for link in links {
        world.ann().get(link).expect(200);
    }
    // The page gives the time for people and for programs.
    let updated =
        world.ann().get(&endpoint).expect(200).json()["updated"].as_str().unwrap().to_owned();
    assert!(page.contains(&format!("datetime=\"{updated}\">")), "{page}");
    assert!(!page.contains(&format!(">{updated}<")), "{page}");
    assert!(page.contains(" UTC</time>"), "{page}");
}

#[test]
fn a_charts_page_says_what_one_may_do_and_shows_no_folder_that_one_may_not_see() {
    let world = World::new();
    let (endpoint, view) = document(&world, "/Plans");
    let own = page(&world.ann(), &view);
    assert!(own.contains("data-writes") && own.contains(">Plans</a>"), "{own}");
    assert!(!own.contains("class=\"notice\""), "{own}");

    share(&world, &endpoint, &json!({ "email": "ben@example.org" }));
    let bens = page(&world.ben(), &view);
    assert!(bens.contains("You may look at this chart. Ann can let you change it."), "{bens}");
    assert!(!bens.contains("data-writes") && !bens.contains("crumbs"), "{bens}");
    share(&world, &endpoint, &json!({ "email": "ben@example.org", "mode": "w" }));
    let bens = page(&world.ben(), &view);
    assert!(bens.contains("data-writes") && !bens.contains("class=\"notice\""), "{bens}");
    assert!(!bens.contains("crumbs"), "{bens}");
    world.cid().with("accept", BROWSER).get(&view).expect(404);

    // With a link, the page and everything that it refers to open too.
    let link = share(&world, &endpoint, &json!({}));
    let token = link["link"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
    let guests = page(&world.nobody(), &format!("{view}?share={token}"));
    assert!(guests.contains("data-user=\"\""), "{guests}");
    let download = format!("{endpoint}.png?share={token}&download=1");
    assert!(
        guests.contains(&download.replace('&', "&#38;")) || guests.contains(&download),
        "{guests}"
    );
    world.nobody().get(&download).expect(200);

    world.ann().delete(&endpoint).expect(204);
    let trashed = page(&world.ann(), &view);
    assert!(trashed.contains("This chart is in the trash."), "{trashed}");
}

#[test]
fn a_public_charts_page_carries_what_previews_show() {
    let world = World::new();
    let (endpoint, view) = document(&world, "/");
    let private = page(&world.ann(), &view);
    assert!(!private.contains("og:image") && !private.contains("id=\"public\""), "{private}");
    let mut whole = world.ann().get(&endpoint).expect(200).json();
    whole["isPublic"] = json!(true);
    world.ann().put(&endpoint, whole).expect(200);
    let public = page(&world.nobody(), &view);
    assert!(public.contains("id=\"public\""), "{public}");
    let image = public.split("og:image\" content=\"").nth(1).unwrap().split('"').next().unwrap();
    let image = image.strip_prefix(&world.base).unwrap();
    assert_eq!(world.nobody().get(image).expect(200).header("content-type"), "image/png");
}

#[test]
fn the_view_behind_a_link_shows_picture_source_and_figures() {
    let world = World::new();
    let (endpoint, view) = document(&world, "/");
    let mut whole = world.ann().get(&endpoint).expect(200).json();
    whole["style"]["footer"] = json!("Source: <b>Harbour</b> office");
    world.ann().put(&endpoint, whole).expect(200);
    let link = share(&world, &endpoint, &json!({}));
    let path = link["link"].as_str().unwrap().strip_prefix(&world.base).unwrap().to_owned();
    let token = path.rsplit('/').next().unwrap().to_owned();
    let shown = page(&world.nobody(), &path);
    keeps_the_policy(&shown);
    assert!(shown.contains("<div class=\"paper\"><svg "), "{shown}");
    assert!(shown.contains("<p class=\"chart-source\">Source: Harbour office</p>"), "{shown}");
    assert!(shown.contains("Show data as table"), "{shown}");
    assert!(shown.contains("<th scope=\"row\">North</th>"), "{shown}");
    assert!(!shown.contains("Open in Chartroom"), "{shown}");
    let image = shown.split("og:image\" content=\"").nth(1).unwrap().split('"').next().unwrap();
    let image = image.strip_prefix(&world.base).unwrap().replace("&#38;", "&");
    assert_eq!(world.nobody().get(&image).expect(200).header("content-type"), "image/png");
    // A caller who is signed in can navigate from there.
    let bens = page(&world.ben(), &path);
    let onward = format!("{view}?share={token}");
    assert!(bens.contains(&format!("href=\"{onward}\"")), "{bens}");
    page(&world.ben(), &onward);
}
