//! Tests of the limits of the memory that one request can take, with the real program.

use std::fs;

use serde_json::json;

use super::serving::create_chart;
use crate::client::Response;
use crate::server_process::ServerProcess;

/// Returns the largest resident memory of a server so far, in bytes.
fn peak_memory(server: &ServerProcess) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", server.process_id())).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() << 10
}

/// Runs `request`. Returns the response and the growth of the largest resident memory in bytes.
fn measure(server: &ServerProcess, request: impl FnOnce() -> Response) -> (Response, u64) {
    let before = peak_memory(server);
    let response = request();
    // The kernel counts in steps, so that the value may shrink a little.
    (response, peak_memory(server).saturating_sub(before))
}

/// Returns a table with `columns` headings and `rows` rows of this text.
fn table(columns: usize, row: &str, rows: usize) -> String {
    let headings: Vec<String> = (0..columns).map(|index| format!("c{index}")).collect();
    format!("{}\n{}", headings.join(","), row.repeat(rows))
}

#[test]
fn data_of_a_caller_without_access_is_not_parsed() {
    let server = ServerProcess::new();
    let path = create_chart(&server, "bar");
    let send = |body: &str, media_type: &str, path: &str| {
        let stranger = server.cid().with_header("content-type", media_type);
        measure(&server, || stranger.send("PUT", path, Some(body)))
    };
    let wide = table(300, "1\n", 100_000);
    let deep = format!("{{\"settings\":{{\"x\":[{}0]}}}}", "0,".repeat(4 << 20));
    for (body, media_type, path) in [
        (&wide, "text/csv", format!("{path}/data")),
        (&deep, "application/json", format!("{path}/data")),
        (&deep, "application/json", path.clone()),
        // Is not even JSON.
        (&wide, "application/json", path.clone()),
    ] {
        let (response, growth) = send(body, media_type, &path);
        assert_eq!(response.status, 404, "{}", response.text());
        assert!(growth < 40 << 20, "{path} with {media_type} took {} MiB", growth >> 20);
    }
}

#[test]
fn tables_take_little_memory_and_are_refused_early() {
    let server = ServerProcess::new();
    let path = format!("{}/data", create_chart(&server, "bar"));
    let send = |body: &str| {
        let owner = server.ann().with_header("content-type", "text/csv");
        measure(&server, || owner.send("PUT", &path, Some(body)))
    };
    // One cell in each row of 300 columns.
    let (response, growth) = send(&table(300, "1\n", 100_000));
    assert_eq!(response.status, 200, "{}", response.text());
    assert!(growth < 100 << 20, "a sparse table took {} MiB", growth >> 20);
    // 15 MiB of cells in 1,000 columns. The records would be larger than a document may be.
    let full = table(1000, &format!("{}1\n", "1,".repeat(999)), 7800);
    let (response, growth) = send(&full);
    assert_eq!(response.status, 400, "{}", response.text());
    assert!(response.text().contains("has more than 3000000 cells"), "{}", response.text());
    assert!(growth < 150 << 20, "a full table took {} MiB", growth >> 20);
    // One row with 15 million cells.
    let (response, growth) = send(&",".repeat(15 << 20));
    assert_eq!(response.status, 400, "{}", response.text());
    assert!(growth < 100 << 20, "a wide table took {} MiB", growth >> 20);
}

#[test]
fn analysis_of_a_table_takes_little_memory() {
    let server = ServerProcess::new();
    let send = |body: &str, media_type: &str| {
        let owner = server.ann().with_header("content-type", media_type);
        let (response, growth) =
            measure(&server, || owner.send("POST", "/api/v1/tables", Some(body)));
        assert!(growth < 150 << 20, "{media_type} took {} MiB", growth >> 20);
        response
    };
    // Texts take the most time, so that these are only 145,000 cells.
    let dates = table(29, &format!("{}3/4/2024\n", "1/2/24,".repeat(28)), 5000);
    let response = send(&dates, "text/csv").expect(200);
    assert_eq!(response.json()["columns"][28]["type"], "date");
    let objects = format!("[{}{{}}]", r#"{"a":1,"b":"x"},"#.repeat(99_999));
    let response = send(&objects, "application/json").expect(200);
    assert_eq!(response.json()["records"], 100_000);
    let members: String = (0..500_000).map(|index| format!("\"k{index}\":1,")).collect();
    let response = send(&format!("[{{{members}\"x\":1}}]"), "application/json").expect(400);
    assert!(response.text().contains("data[0]: has more than 1048576 bytes"));
}

#[test]
fn render_that_would_take_too_much_memory_is_refused() {
    let server = ServerProcess::new();
    let path = create_chart(&server, "bar");
    let nested = format!("[{}{{}}]", "{\"a\":1},".repeat(1 << 20));
    let body = format!("[{{\"label\":\"A\",\"value\":1,\"x\":{nested}}}]");
    let owner = server.ann().with_header("content-type", "application/json");
    owner.send("PUT", &format!("{path}/data"), Some(&body)).expect(200);
    for suffix in [".svg", ".png", ".html", "/thumbnail.png"] {
        let (response, growth) = measure(&server, || server.ann().get(&format!("{path}{suffix}")));
        assert_eq!(response.status, 413, "{suffix}: {}", response.text());
        assert!(growth < 80 << 20, "{suffix} took {} MiB", growth >> 20);
    }
    let draft = format!("{{\"widget\":\"bar\",\"settings\":{{\"x\":{nested}}},\"data\":{body}}}");
    let (response, growth) =
        measure(&server, || owner.send("POST", "/api/v1/render", Some(&draft)));
    assert_eq!(response.status, 413, "{}", response.text());
    assert!(growth < 120 << 20, "a draft took {} MiB", growth >> 20);
    // The document can still be read and repaired.
    server.ann().get(&path).expect(200);
    server.ann().put(&format!("{path}/data"), json!([{ "label": "A", "value": 1 }])).expect(200);
    server.ann().get(&format!("{path}.png")).expect(200);
}

#[test]
fn render_that_takes_too_long_is_refused() {
    let server = ServerProcess::with_settings(&[("max_render_time", "5 ms")]);
    let path = create_chart(&server, "beeswarm");
    let data: Vec<_> = (0..60_000)
        .map(|number| json!({ "label": format!("Record {number}"), "value": number * 7919 % 10_007 }))
        .collect();
    let owner = server.ann();
    owner.put(&format!("{path}/data"), json!(data)).expect(200);
    for suffix in [".svg", ".png", ".html", "/thumbnail.png"] {
        let response = owner.get(&format!("{path}{suffix}")).expect(413);
        assert!(response.text().contains("would take more than 0.005 s"), "{suffix}: {response}");
    }
    let draft = json!({ "widget": "beeswarm", "data": data });
    owner.post("/api/v1/render", draft).expect(413);
    // The document can still be read and repaired.
    owner.get(&path).expect(200);
    owner.put(&format!("{path}/data"), json!([{ "label": "A", "value": 1 }])).expect(200);
}
