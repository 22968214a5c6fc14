//! Documents drawn, and who may see the drawing.

use serde_json::json;

use super::World;

#[test]
fn a_document_is_drawn_as_svg_png_and_page() {
    let world = World::new();
    let path = world.bar();
    let svg = world.ann("GET", &format!("{path}.svg?width=500&height=300&theme=dark"), "");
    assert_eq!(svg.status, 200, "{}", svg.text);
    assert_eq!(svg.header("content-type"), "image/svg+xml");
    assert_eq!(svg.header("cache-control"), "private, no-cache");
    assert!(svg.text.starts_with("<svg xmlns"), "{}", svg.text);
    assert!(svg.text.contains("width=\"500\" height=\"300\""));
    let png = world.ann("GET", &format!("{path}.png?scale=0.5"), "");
    assert_eq!(png.status, 200, "{}", png.text);
    assert_eq!(png.header("content-type"), "image/png");
    let page = world.ann("GET", &format!("{path}.html"), "");
    assert_eq!(page.header("content-type"), "text/html; charset=utf-8");
    assert!(page.header("content-security-policy").contains("frame-ancestors *"));
    assert!(page.text.contains("<svg xmlns") && page.text.contains("<th scope=\"row\">North</th>"));
    let file = world.ann("GET", &format!("{path}.svg?download=1"), "");
    assert!(file.header("content-disposition").starts_with("attachment; filename=\""));
    let thumbnail = world.ann("GET", &format!("{path}/thumbnail.png"), "");
    assert_eq!(thumbnail.status, 200, "{}", thumbnail.text);
}

#[test]
fn odd_wishes_about_a_picture_are_refused_by_name() {
    let world = World::new();
    let path = world.bar();
    let check = |query: &str, want: &str| {
        let answer = world.ann("GET", &format!("{path}.png?{query}"), "");
        assert_eq!(answer.status, 400, "{query}");
        assert!(answer.text.starts_with(want), "{query}: {}", answer.text);
    };
    check("width=4097", "width: ");
    check("width=x", "width: ");
    check("height=0", "height: ");
    check("height=NaN", "height: ");
    check("scale=5", "scale: ");
    check("width=4096&scale=3", "scale: results in more than 8192 pixels");
    check("theme=neon", "theme: ");
    check("transparent=maybe", "transparent: ");
    check("history_version=7", "history_version: ");
}

#[test]
fn pictures_have_entity_tags_that_follow_the_document() {
    let world = World::new();
    let path = world.bar();
    for form in ["svg", "png", "html"] {
        let address = format!("{path}.{form}");
        let tag = world.ann("GET", &address, "").header("etag");
        let again = |tag: &str| {
            let headers = [("authorization", world.ann.as_str()), ("if-none-match", tag)];
            world.server.send("GET", &address, &headers, "").status
        };
        assert_eq!(again(&tag), 304, "{form}");
        assert_eq!(again("\"other\""), 200);
        assert_ne!(world.ann("GET", &format!("{address}?width=300"), "").header("etag"), tag);
        world.ann("PATCH", &path, &json!({ "title": form }).to_string());
        assert_eq!(again(&tag), 200, "{form} after a change");
    }
}

#[test]
fn a_download_address_opens_one_picture_for_a_while() {
    let world = World::new();
    let path = world.bar();
    let document = world.get(&format!("{path}?include_download_url=svg&transparent=1"));
    assert_eq!(document["background_color"], "#ffffff");
    assert_eq!(document.get("background_svg"), None, "a plain colour");
    assert!(document["download_url_expires_at"].is_string());
    let address = super::path(document["download_url"].as_str().unwrap()).to_owned();
    let picture = world.nobody("GET", &address);
    assert_eq!(picture.status, 200, "{}", picture.text);
    let opaque = world.ann("GET", &format!("{path}.svg"), "").text;
    assert!(
        opaque.contains("<rect width=\"100%\"") && !picture.text.contains("<rect width=\"100%\"")
    );
    assert_eq!(world.nobody("GET", &address.replace(".svg", ".png")).status, 401);
    assert_eq!(world.nobody("GET", &format!("{address}x")).status, 401);
    assert_eq!(world.ann("GET", &format!("{path}?include_download_url=gif"), "").status, 400);

    world.server.sql("update user set disabled = 1 where username = 'ann'");
    assert_eq!(world.nobody("GET", &address).status, 401);
    world.server.sql("update user set disabled = 0 where username = 'ann'");
    assert_eq!(world.nobody("GET", &address).status, 200);
    world.server.sql("delete from node");
    assert_eq!(world.nobody("GET", &address).status, 401);
}

#[test]
fn the_background_of_a_theme_is_drawn_and_goes_when_transparent() {
    let world = World::new();
    let path = world.bar();
    let plain = world.get(&format!("{path}?transparent=1"));
    assert_eq!(plain["background_color"], "#ffffff");
    assert_eq!(plain.get("background_svg"), None, "the colour is all");

    let ground = "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 720 405' onload='alert(1)'>\
                  <script>alert(2)</script><rect x='10' y='20' width='30' height='40' fill='#123456'/>\
                  <image href='http://192.0.2.1/spy.png' width='9' height='9'/></svg>";
    let theme = json!({ "background_color": "rgb(250, 240, 230)", "background_svg": ground });
    let put = json!({ "title": "T", "custom_theme": theme });
    assert_eq!(world.ann("PUT", &path, &put.to_string()).status, 200);
    let seen = world.get(&format!("{path}?transparent=1"));
    assert_eq!(seen["background_color"], "#faf0e6");
    let svg = seen["background_svg"].as_str().unwrap();
    for odd in ["script", "alert", "onload", "image", "192.0.2.1"] {
        assert!(!svg.contains(odd), "{odd}: {svg}");
    }
    let shape = "fill=\"#123456\"";
    assert!(svg.starts_with("<svg ") && svg.contains(shape), "{svg}");
    assert_eq!(seen["custom_theme"], theme, "what was stored is as it was sent");
    let drawn = |query: &str| world.ann("GET", &format!("{path}.svg{query}"), "").body;
    assert!(drawn("").contains(shape) && drawn("").contains("fill=\"#faf0e6\""));
    assert!(!drawn("?transparent=1").contains(shape));
    assert!(!drawn("").contains("192.0.2.1"));
    let png = |query: &str| world.ann("GET", &format!("{path}.png{query}"), "").body;
    assert_ne!(png(""), png("?transparent=1"));
    assert_eq!(world.get(&path).get("background_color"), None);
}
