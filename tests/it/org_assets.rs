//! Tests of the images and fonts of organizations. Ann is the admin, Bea the brand manager, Ben a
//! member and Dan a stranger.

use serde_json::Value;
use serde_json::json;

use crate::charts::fonts::create_test_font;
use crate::teams::OrgFixture;
use crate::test_server::Response;

/// Path of the assets.
const PATH: &str = "/api/v1/orgs/acme/assets";
/// A hostile logo.
const HOSTILE_SVG: &str = r##"<?xml version="1.0"?>
<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 10" onload="alert(1)">
<script>alert(1)</script><style>.a{fill:#c00}@import url(//192.0.2.1/a.css);</style>
<rect class="a" width="40" height="10" onclick="alert(1)"/>
<a href="javascript:alert(1)"><circle r="2"/></a>
<image href="data:image/svg+xml,%3Csvg onload='alert(1)'/%3E"/></svg>"##;
/// The logo without unsafe parts.
const SAFE_SVG: &str = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 40 10\">\
    <rect width=\"40\" height=\"10\" fill=\"#c00\"/><g><circle r=\"2\"/></g></svg>";

impl OrgFixture {
    /// Uploads a file as a user with a raw body.
    pub fn put_asset(&self, name: &str, filename: &str, file: &[u8]) -> Response {
        let headers = [("authorization", self.authorization(name))];
        self.server.send_bytes("PUT", &format!("{PATH}/{filename}"), &headers, file)
    }

    /// Uploads a file as a user with a form.
    fn post_asset(&self, name: &str, filename: &str, file: &[u8], key: &str) -> Response {
        let headers = [
            ("authorization", self.authorization(name)),
            ("content-type", "multipart/form-data; boundary=xYz"),
            ("idempotency-key", key),
        ];
        let head = format!(
            "--xYz\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{filename}\"\r\n\
             Content-Type: text/plain\r\n\r\n"
        );
        let body = [head.as_bytes(), file, b"\r\n--xYz--\r\n"].concat();
        self.server.send_bytes("POST", PATH, &headers, &body)
    }

    /// Returns the actions on themes and assets in the audit log of the organization, oldest first.
    pub fn audit_actions(&self) -> Vec<String> {
        let sql = "select action from audit_event
                   where action like 'theme.%' or action like 'asset.%' order by id";
        self.server.app.db.read(|tx| tx.all(sql, [], |row| row.get(0))).unwrap()
    }

    /// Returns the names of all assets.
    fn asset_names(&self) -> Vec<String> {
        let listed = self.request("Ben", "GET", PATH, Value::Null).json();
        let assets = listed["assets"].as_array().unwrap().iter();
        assets.map(|asset| asset["filename"].as_str().unwrap().to_owned()).collect()
    }
}

/// Returns a PNG of one color.
pub fn encode_png(width: u32, height: u32, color: [u8; 3]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut encoder = png::Encoder::new(&mut out, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let pixels = color.repeat((width * height) as usize);
    encoder.write_header().unwrap().write_image_data(&pixels).unwrap();
    out
}

#[test]
fn a_brand_manager_uploads_files_that_all_members_read() {
    let fixture = OrgFixture::new();
    let png = encode_png(6, 3, [200, 0, 0]);
    let created = fixture.put_asset("Bea", "logo.png", &png);
    assert_eq!(created.status, 200, "{}", created.text);
    let created = created.json();
    let url = format!("http://127.0.0.1:8080/api/v1/orgs/{}/assets/logo.png", fixture.org.id);
    let expected = json!({
        "filename": "logo.png",
        "content_type": "image/png",
        "size": png.len(),
        "used_by": [],
        "created": created["created"],
        "updated": created["updated"],
        "url": url,
    });
    assert_eq!(created, expected);
    let font = create_test_font(notosans::ITALIC_TTF);
    let uploaded = fixture.post_asset("Ann", "C:\\fonts\\Größe 1.bin", &font, "1");
    assert_eq!(uploaded.status, 200, "{}", uploaded.text);
    let uploaded = uploaded.json();
    assert_eq!(uploaded["family"], "Nota Face");
    assert_eq!(uploaded["content_type"], "font/ttf");
    let end = "/assets/Gr%C3%B6%C3%9Fe%201.bin";
    assert!(uploaded["url"].as_str().unwrap().ends_with(end), "{uploaded}");
    for name in ["Ann", "Bea", "Ben", "Cid"] {
        let listed = fixture.request(name, "GET", PATH, Value::Null).json();
        assert_eq!(listed["assets"], json!([uploaded, expected]), "{name}");
        let read = fixture.request(name, "GET", &format!("{PATH}/logo.png"), Value::Null);
        assert_eq!(read.bytes, png, "{name}");
    }
    let read =
        fixture.request("Ben", "GET", &format!("{PATH}/Gr%C3%B6%C3%9Fe%201.bin"), Value::Null);
    assert_eq!((read.status, read.bytes == font), (200, true));
    assert_eq!(fixture.audit_actions(), ["asset.create", "asset.create"]);
}

#[test]
fn a_repeated_upload_has_one_effect_and_a_new_file_replaces_the_old_one() {
    let fixture = OrgFixture::new();
    let (red, blue) = (encode_png(2, 2, [200, 0, 0]), encode_png(2, 2, [0, 0, 200]));
    let first = fixture.post_asset("Bea", "logo.png", &red, "key");
    let path = format!("{PATH}/logo.png");
    let read = fixture.request("Ben", "GET", &path, Value::Null);
    let etag = read.header("etag");
    let headers = [("authorization", fixture.authorization("Ben")), ("if-none-match", &etag)];
    let unchanged = fixture.server.send("GET", &path, &headers, "");
    assert_eq!((unchanged.status, unchanged.bytes.len()), (304, 0));
    let second = fixture.put_asset("Bea", "logo.png", &blue).json();
    assert_eq!(second["created"], first.json()["created"]);
    let changed = fixture.server.send("GET", &path, &headers, "");
    assert_eq!((changed.status, &changed.bytes), (200, &blue));
    let repeated = fixture.post_asset("Bea", "logo.png", &red, "key");
    assert_eq!(repeated.text, first.text, "the stored response");
    assert_eq!(fixture.request("Ben", "GET", &path, Value::Null).bytes, blue);
    fixture.put_asset("Bea", "logo.png", &blue);
    assert_eq!(fixture.audit_actions(), ["asset.create", "asset.change"]);
    assert_eq!(fixture.request("Bea", "DELETE", &path, Value::Null).status, 204);
    assert_eq!(fixture.request("Ben", "GET", &path, Value::Null).status, 404);
    assert_eq!(fixture.request("Bea", "DELETE", &path, Value::Null).status, 404);
    assert_eq!(fixture.asset_names(), [""; 0]);
}

#[test]
fn a_hostile_svg_is_stored_without_its_unsafe_parts_and_served_without_rights() {
    let fixture = OrgFixture::new();
    // The name says otherwise, but the content decides.
    let created = fixture.put_asset("Bea", "logo.png", HOSTILE_SVG.as_bytes());
    assert_eq!(created.status, 200, "{}", created.text);
    assert_eq!(created.json()["content_type"], "image/svg+xml");
    assert_eq!(created.json()["size"], SAFE_SVG.len());
    let read = fixture.request("Ben", "GET", &format!("{PATH}/logo.png"), Value::Null);
    assert_eq!(read.body, SAFE_SVG);
    assert_eq!(read.header("content-type"), "image/svg+xml");
    assert_eq!(read.header("x-content-type-options"), "nosniff");
    let policy = read.header("content-security-policy");
    assert_eq!(policy, "default-src 'none'; frame-ancestors 'none'; sandbox");
}

#[test]
fn files_beyond_the_limits_are_rejected_with_the_field() {
    let fixture = OrgFixture::new();
    let check = |response: Response, status: u16, want: &str| {
        assert_eq!(response.status, status, "{}", response.text);
        assert!(response.body.contains(want), "{want}: {}", response.body);
    };
    check(fixture.put_asset("Bea", "a.png", b"GIF89a"), 400, "\"field\":\"body\"");
    check(fixture.post_asset("Bea", "a.png", b"GIF89a", "1"), 400, "\"field\":\"file\"");
    check(
        fixture.post_asset("Bea", ".a.png", &encode_png(1, 1, [0; 3]), "2"),
        400,
        "\"field\":\"file\"",
    );
    check(
        fixture.put_asset("Bea", "%2Ea", &encode_png(1, 1, [0; 3])),
        400,
        "\"field\":\"filename\"",
    );
    check(fixture.put_asset("Bea", "a.png", &encode_png(4097, 1, [0; 3])), 400, "4,096 pixels");
    let entity = b"<!DOCTYPE svg [<!ENTITY a 'a'>]><svg xmlns='http://www.w3.org/2000/svg'/>";
    check(fixture.put_asset("Bea", "a.svg", entity), 400, "the SVG must not define entities");
    check(fixture.put_asset("Bea", "a.svg", &vec![b' '; (5 << 20) + 1]), 413, "5 MiB");
    let form = fixture.request("Bea", "POST", PATH, json!({}));
    check(form, 415, "multipart/form-data");
    let padded = format!("{}<svg xmlns='http://www.w3.org/2000/svg'/>", " ".repeat((5 << 20) - 41));
    assert_eq!(
        (padded.len(), fixture.put_asset("Bea", "a.svg", padded.as_bytes()).status),
        (5 << 20, 200)
    );
    fixture.server.execute_sql(
        "insert into asset (org_id, filename, content_type, size, hash, body, created, updated)
         with recursive number (n) as (select 1 union all select n + 1 from number where n < 99)
         select id, 'x' || n, 'image/png', 1, zeroblob(32), zeroblob(1), 0, 0 from org, number",
    );
    check(fixture.put_asset("Bea", "b.png", &encode_png(1, 1, [0; 3])), 409, "100 assets");
    let replaced = fixture.put_asset("Bea", "a.svg", &encode_png(1, 1, [0; 3]));
    assert_eq!(replaced.status, 200, "an existing file can be replaced: {}", replaced.text);
    assert_eq!(fixture.asset_names().len(), 100);
}

#[test]
fn access_is_checked_before_the_body() {
    let fixture = OrgFixture::new();
    fixture.put_asset("Bea", "logo.svg", SAFE_SVG.as_bytes());
    let path = format!("{PATH}/logo.svg");
    for (name, status) in [("Ben", 403), ("Dan", 404)] {
        assert_eq!(fixture.put_asset(name, "logo.svg", b"not a file").status, status, "{name}");
        assert_eq!(fixture.request(name, "POST", PATH, json!({})).status, status, "{name}");
        assert_eq!(fixture.request(name, "DELETE", &path, Value::Null).status, status, "{name}");
    }
    for read in [PATH, &path] {
        let hidden = fixture.request("Dan", "GET", read, Value::Null);
        assert_eq!((hidden.status, hidden.text.as_str()), (404, "no such organization"), "{read}");
    }
    fixture.set_suspended(true);
    assert_eq!(fixture.put_asset("Bea", "logo.svg", SAFE_SVG.as_bytes()).status, 402);
    assert_eq!(fixture.request("Bea", "DELETE", &path, Value::Null).status, 402);
    assert_eq!(fixture.request("Ben", "GET", &path, Value::Null).body, SAFE_SVG);
    assert_eq!(fixture.audit_actions(), ["asset.create"]);
}
