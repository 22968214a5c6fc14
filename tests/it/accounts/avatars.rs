//! Tests of uploaded avatars.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::org_assets::encode_png;
use crate::test_server::Response;
use crate::test_server::TestServer;

/// A user with an API token.
struct AvatarUser<'a> {
    server: &'a TestServer,
    token: String,
    /// Path of the avatar.
    path: String,
}

impl<'a> AvatarUser<'a> {
    /// Creates a user.
    fn create(server: &'a TestServer, name: &str) -> Self {
        let id = server.create_user(name).id;
        let path = format!("/api/v1/users/{id}/avatar.svg");
        Self { server, token: server.create_bearer_token(&id), path }
    }

    /// Uploads a file.
    fn put(&self, file: &[u8]) -> Response {
        let headers = [("authorization", self.token.as_str())];
        self.server.send_bytes("PUT", "/api/v1/user/avatar", &headers, file)
    }

    /// Requests an avatar. `tag` is that of a cached one, or empty.
    fn get(&self, path: &str, tag: &str) -> Response {
        let headers = [("authorization", self.token.as_str()), ("if-none-match", tag)];
        let count = if tag.is_empty() { 1 } else { 2 };
        self.server.send("GET", path, &headers[..count], "")
    }

    /// Returns the width, the height and the bytes of the image in the own avatar.
    fn embedded_png(&self) -> (u32, u32, Vec<u8>) {
        let svg = self.get(&self.path, "").body;
        let (_, data) = svg.split_once("data:image/png;base64,").expect("an embedded image");
        let bytes = STANDARD.decode(data.split_once('"').unwrap().0).unwrap();
        let decoder = png::Decoder::new(std::io::Cursor::new(&bytes));
        let reader = decoder.read_info().unwrap();
        (reader.info().width, reader.info().height, bytes.clone())
    }
}

#[test]
fn uploaded_avatar_replaces_the_initials_for_all_at_once() {
    let server = TestServer::new();
    let (ann, ben) = (AvatarUser::create(&server, "Ann"), AvatarUser::create(&server, "Ben"));
    let initials = ben.get(&ann.path, "");
    assert!(initials.body.contains(">A</text>"));
    assert_eq!(initials.header("cache-control"), "private, no-cache");
    assert_eq!(ben.get(&ann.path, &initials.header("etag")).status, 304);

    assert_eq!(ann.put(&encode_png(600, 400, [200, 0, 0])).status, 204);
    let uploaded = ben.get(&ann.path, &initials.header("etag"));
    assert_eq!((uploaded.status, uploaded.header("content-type").as_str()), (200, "image/svg+xml"));
    assert!(uploaded.body.contains("<image") && !uploaded.body.contains("<text"));
    assert!(uploaded.header("content-security-policy").contains("sandbox"));
    assert_eq!(ann.embedded_png().0, 256);
    assert_eq!(ann.embedded_png().1, 256, "the center of the image is a square");
    let unchanged = ben.get(&ann.path, &uploaded.header("etag"));
    assert_eq!((unchanged.status, unchanged.body.as_str()), (304, ""));

    assert_eq!(ann.put(&encode_png(10, 20, [0, 0, 200])).status, 204);
    assert_eq!(ben.get(&ann.path, &uploaded.header("etag")).status, 200);
    assert_eq!(ann.embedded_png().0, 10, "a small image is not enlarged");
    assert_eq!(ann.put(&encode_png(4600, 3400, [0, 0, 200])).status, 204);
    assert_eq!(ann.embedded_png().0, 256, "a photo of 16 million pixels");
    assert_eq!(server.request(&ann.token, "DELETE", "/api/v1/user/avatar", "").status, 204);
    assert_eq!(ben.get(&ann.path, "").body, initials.body);
    assert_eq!(server.request(&ann.token, "DELETE", "/api/v1/user/avatar", "").status, 204);
}

#[test]
fn metadata_of_an_upload_is_not_kept() {
    let server = TestServer::new();
    let ann = AvatarUser::create(&server, "Ann");
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, 4, 4);
    encoder.set_color(png::ColorType::Rgb);
    encoder.add_text_chunk("Location".to_owned(), "52.5 north".to_owned()).unwrap();
    encoder.write_header().unwrap().write_image_data(&[7; 48]).unwrap();
    let contains = |bytes: &[u8]| bytes.windows(10).any(|window| window == b"52.5 north");
    assert!(contains(&file));
    assert_eq!(ann.put(&file).status, 204);
    assert!(!contains(&ann.embedded_png().2));
}

#[test]
fn files_that_are_no_small_images_are_refused() {
    let server = TestServer::new();
    let ann = AvatarUser::create(&server, "Ann");
    let image = encode_png(8, 8, [1, 2, 3]);
    let mut bomb = encode_png(1, 1, [0; 3]);
    // 60,000 pixels per side, with a valid checksum of the header.
    bomb[16..24].copy_from_slice(&[0, 0, 0xea, 0x60, 0, 0, 0xea, 0x60]);
    let checksum = crc32(&bomb[12..29]);
    bomb[29..33].copy_from_slice(&checksum.to_be_bytes());
    let files: [(&str, &[u8]); 6] = [
        ("empty", b""),
        ("text", b"hello"),
        ("gif", b"GIF89a\x01\x00\x01\x00"),
        ("svg", b"<svg xmlns='http://www.w3.org/2000/svg'/>"),
        ("truncated", &image[..image.len() / 2]),
        ("bomb", &bomb),
    ];
    for (name, file) in files {
        let refused = ann.put(file);
        assert_eq!(refused.status, 400, "{name}: {}", refused.text);
        assert!(
            refused.text.starts_with("body: must be an intact PNG"),
            "{name}: {}",
            refused.text
        );
        assert_eq!(
            serde_json::from_str::<serde_json::Value>(&refused.body).unwrap()["errors"][0]["field"],
            "body"
        );
    }
    assert_eq!(ann.put(&vec![b' '; (5 << 20) + 1]).status, 413);
    assert!(ann.get(&ann.path, "").body.contains(">A</text>"));
    let guest = server.send_bytes("PUT", "/api/v1/user/avatar", &[], &vec![0; 4 << 20]);
    assert_eq!(guest.status, 401);
}

/// Returns the CRC-32 of bytes, as PNG files contain it.
fn crc32(bytes: &[u8]) -> u32 {
    let step = |crc: u32, byte: &u8| {
        let start = crc ^ u32::from(*byte);
        (0..8).fold(start, |crc, _| if crc & 1 == 1 { (crc >> 1) ^ 0xedb8_8320 } else { crc >> 1 })
    };
    !bytes.iter().fold(!0, step)
}
