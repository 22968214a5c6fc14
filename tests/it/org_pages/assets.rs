//! The page of the images and fonts: uploads, sizes, uses and deletion.

use serde_json::Value;
use serde_json::json;

use super::PagesFixture;
use super::assert_contains;
use crate::charts::fonts::TEST_FAMILY;
use crate::charts::fonts::create_test_font;
use crate::org_assets::encode_png;
use crate::test_server::Response;

impl PagesFixture {
    /// Sends the upload form with these filenames and contents.
    fn upload(&self, name: &str, files: &[(&str, &[u8])]) -> Response {
        let headers = [
            ("authorization", self.orgs.authorization(name)),
            ("accept", "text/html"),
            ("content-type", "multipart/form-data; boundary=xYz"),
            ("origin", "http://127.0.0.1:8080"),
        ];
        let mut body = Vec::new();
        for (filename, content) in files {
            let head = format!(
                "--xYz\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{filename}\"\r\n\
                 Content-Type: application/octet-stream\r\n\r\n"
            );
            body.extend([head.as_bytes(), content, b"\r\n"].concat());
        }
        body.extend(b"--xYz--\r\n");
        self.orgs.server.send_bytes("POST", "/orgs/acme/assets", &headers, &body)
    }

    /// Returns the filenames that the API lists.
    fn filenames(&self) -> Vec<String> {
        let listed = self.api("GET", "/assets", Value::Null);
        let assets = listed["assets"].as_array().unwrap().iter();
        assets.map(|asset| asset["filename"].as_str().unwrap().to_owned()).collect()
    }
}

#[test]
fn files_are_uploaded_together_and_listed_with_their_uses() {
    let fixture = PagesFixture::new();
    assert_contains(&fixture.page("/assets"), &["There is no file yet.", "0 of at most 100"]);
    let font = create_test_font(notosans::REGULAR_TTF);
    let png = encode_png(6, 3, [200, 0, 0]);
    let uploaded = fixture.upload("Bea", &[("Größe (2).png", &png), ("nota.ttf", &font)]);
    assert_eq!(uploaded.status, 303, "{}", uploaded.text);
    assert_eq!(uploaded.header("location"), "/orgs/acme/assets?done=assets-uploaded");
    assert_eq!(fixture.filenames(), ["Größe (2).png", "nota.ttf"]);

    let body = json!({ "name": "brand", "logo": "Größe (2).png" });
    fixture.api("POST", "/themes", body);
    let family = json!({ "title": { "family": TEST_FAMILY.to_lowercase() } });
    fixture.api("POST", "/themes", json!({ "name": "print", "fonts": family }));
    let page = fixture.page("/assets?done=assets-uploaded");
    let size = format!("TrueType font, {}.", font.len() >> 10);
    assert_contains(
        &page,
        &[
            "The files are uploaded.",
            "2 of at most 100",
            &size,
            &format!("Family {TEST_FAMILY}"),
            "assets/Gr%C3%B6%C3%9Fe%20%282%29.png\" loading=\"lazy\"",
            "Used by 1 theme: <a href=\"/orgs/acme/themes/brand\">brand</a>",
            "Used by 1 theme: <a href=\"/orgs/acme/themes/print\">print</a>",
        ],
    );
}

#[test]
fn each_refused_file_has_a_reason_and_the_others_are_stored() {
    let fixture = PagesFixture::new();
    let large = vec![b'x'; (5 << 20) + 1];
    let (png, evil) = (encode_png(6, 3, [0, 0, 9]), "a<b>.png");
    let files: [(&str, &[u8]); 5] = [
        ("good.png", &png),
        ("large.png", &large),
        ("text.txt", b"plain text"),
        (evil, &png),
        ("bad.svg", b"<html>"),
    ];
    let response = fixture.upload("Bea", &files);
    assert_eq!(response.status, 413, "{}", response.text);
    assert_contains(
        &response.body,
        &[
            "4 files are not stored:",
            "<strong>large.png</strong>: The file is too large. A file may have at most 5.0 MiB.",
            "<strong>text.txt</strong>: The file must be a PNG, JPEG, WebP or SVG image, or a WOFF2",
            "<strong>a&#60;b&#62;.png</strong>: The filename must have 1 to 100 letters",
            "<strong>bad.svg</strong>: The SVG must ",
            "1 file is stored.",
            ">good.png</a>",
        ],
    );
    assert!(!response.body.contains("a<b>"));
    assert_eq!(fixture.filenames(), ["good.png"]);
    let nothing = fixture.upload("Bea", &[("", b"")]);
    assert_eq!(nothing.status, 400);
    assert_contains(&nothing.body, &["role=\"alert\">Choose at least one file."]);
}

#[test]
fn the_limit_of_files_is_named() {
    let fixture = PagesFixture::new();
    fixture.orgs.server.execute_sql(
        "with recursive n (i) as (select 1 union all select i + 1 from n where i < 100)
         insert into asset (org_id, filename, content_type, size, hash, created, updated, body)
         select org.id, 'a' || i, 'image/png', 1, zeroblob(32), 0, 0, x'00' from n, org",
    );
    let response = fixture.upload("Bea", &[("one.png", &encode_png(2, 2, [1, 2, 3]))]);
    assert_eq!(response.status, 409, "{}", response.text);
    assert_contains(&response.body, &["The acme already has 100 assets, the maximum."]);
    assert_eq!(fixture.filenames().len(), 100);
}

#[test]
fn deleting_a_file_names_the_themes_that_use_it() {
    let fixture = PagesFixture::new();
    let font = create_test_font(notosans::REGULAR_TTF);
    fixture.orgs.put_asset("Bea", "a%20logo.png", &encode_png(6, 3, [9, 9, 9]));
    fixture.orgs.put_asset("Bea", "nota.ttf", &font);
    fixture.api("POST", "/themes", json!({ "name": "brand", "logo": "a logo.png" }));
    let family = json!({ "body": { "family": TEST_FAMILY } });
    for name in ["print", "slides"] {
        fixture.api("POST", "/themes", json!({ "name": name, "fonts": family }));
    }
    let question = fixture.page("/assets/a%20logo.png/delete");
    assert_contains(
        &question,
        &["Delete a logo.png?", "1 theme uses the file as a logo: brand. Their documents"],
    );
    assert_contains(
        &fixture.page("/assets/nota.ttf/delete"),
        &["2 themes use the font family Nota Face: print, slides."],
    );
    assert_eq!(fixture.filenames().len(), 2);
    let page = fixture.submit_ok("/assets/a%20logo.png/delete", &[], "The file is deleted.");
    assert!(!page.contains("a logo.png"));
    assert_eq!(fixture.filenames(), ["nota.ttf"]);
    assert_contains(&fixture.page("/themes"), &["The logo a logo.png does not exist."]);
    assert_eq!(fixture.submit("Bea", "/assets/a%20logo.png/delete", &[]).status, 404);
    assert_eq!(fixture.get("Bea", "/assets/none.png/delete").status, 404);
}

#[test]
fn only_brand_managers_of_an_active_organization_change_files() {
    let fixture = PagesFixture::new();
    let png = encode_png(6, 3, [9, 9, 9]);
    fixture.orgs.put_asset("Bea", "logo.png", &png);
    let page = fixture.get("Ben", "/assets");
    assert_eq!(page.status, 200);
    assert_contains(&page.body, &["logo.png", "PNG image"]);
    assert!(
        !page.body.contains("<form class=\"card form upload\"") && !page.body.contains("/delete")
    );
    for (name, status) in [("Ben", 403), ("Dan", 404)] {
        assert_eq!(fixture.upload(name, &[("new.png", &png)]).status, status, "{name}");
        assert_eq!(fixture.get(name, "/assets/logo.png/delete").status, status, "{name}");
        assert_eq!(fixture.submit(name, "/assets/logo.png/delete", &[]).status, status, "{name}");
    }
    assert_eq!(fixture.get("Dan", "/assets").status, 404);
    fixture.orgs.set_suspended(true);
    assert!(!fixture.page("/assets").contains("upload\" method"));
    assert_eq!(fixture.upload("Bea", &[("new.png", &png)]).status, 402);
    assert_eq!(fixture.submit("Bea", "/assets/logo.png/delete", &[]).status, 402);
    fixture.orgs.set_suspended(false);
    assert_eq!(fixture.filenames(), ["logo.png"]);
}
