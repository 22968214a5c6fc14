//! Sync jobs: set-up, runs, failures, and what documents show.

use std::thread;
use std::time::Duration;
use std::time::Instant;

use serde_json::Value;
use serde_json::json;

use super::Source;
use super::create_document;
use super::create_job;
use super::read_document;
use super::read_job;
use super::run_job;
use super::start_server;
use super::start_server_with;
use super::wait_until;

#[test]
fn a_source_keeps_the_data_of_a_document_up_to_date() {
    let (server, source) = (start_server(), Source::start("City,Sales\nBonn,4\nKöln,7.5\n"));
    let ann = server.ann();
    let id = create_document(&ann, "bar");
    assert!(read_document(&ann, &id).get("sync").is_none());
    let body = json!({
        "document_id": id,
        "url": source.url,
        "interval_sec": 1.5,
        "time_of_day_utc": "09:30",
        "day_of_week": 2,
        "document_settings": { "title": "From the source" },
    });
    ann.post("/api/v1/sync/create", body).expect(204);
    wait_until("the first run", || {
        read_document(&ann, &id)["data"].as_array().is_some_and(|data| data.len() == 2)
    });
    let document = read_document(&ann, &id);
    assert_eq!(document["data"][1], json!({ "label": "Köln", "value": 7.5 }));
    assert_eq!(document["settings"]["title"], "From the source");
    assert_eq!(document["sync"]["status"], "ok");
    assert!(document["sync"]["next_download_at"].is_string());
    assert!(document["sync"].get("error").is_none());
    // The next run comes by itself.
    source.set_body("City,Sales\nBonn,5\nKöln,8\nTrier,1\n");
    wait_until("the second run", || {
        read_document(&ann, &id)["data"].as_array().is_some_and(|data| data.len() == 3)
    });
    let history = ann.get(&format!("/api/v1/users/me/documents/{id}/history")).expect(200).json();
    let newest = &history["results"][0];
    assert_eq!(
        (&newest["channel"], &newest["author"]["id"]),
        (&json!("sync"), &json!(ann.id)),
        "{history}"
    );
    let job = read_job(&ann, &id);
    assert_eq!(job["url"], source.url);
    assert_eq!((&job["interval_sec"], &job["time_of_day_utc"]), (&json!(1.5), &json!("09:30")));
    assert_eq!(job["day_of_week"], 2);
    assert_eq!(job["document_settings"], json!({ "title": "From the source" }));
    assert_eq!(job["prepared_data"]["columns"], json!(["City", "Sales"]));
    assert_eq!(job["prepared_data"]["data"].as_array().unwrap().len(), 3);
    ann.delete(&format!("/api/v1/sync/document/{id}")).expect(204);
    let hits = source.hits();
    thread::sleep(Duration::from_millis(1500));
    assert!(source.hits() <= hits + 1, "a run may have begun before the removal");
    ann.get(&format!("/api/v1/sync/document/{id}")).expect(404);
    ann.delete(&format!("/api/v1/sync/document/{id}")).expect(404);
    let document = read_document(&ann, &id);
    assert_eq!(document["data"].as_array().unwrap().len(), 3, "the data stay");
    assert!(document.get("sync").is_none());
}

#[test]
fn unchanged_data_write_nothing_and_entity_tags_save_the_download() {
    let (server, source) = (start_server(), Source::start("City,Sales\nBonn,4\n"));
    let ann = server.ann();
    let id = create_document(&ann, "bar");
    create_job(&ann, &id, &source.url);
    wait_until("the first run", || read_job(&ann, &id)["downloaded_at"].is_string());
    let first = (read_document(&ann, &id), read_job(&ann, &id));
    let job = run_job(&ann, &id);
    let second = read_document(&ann, &id);
    assert_eq!(first.0["updated"], second["updated"]);
    assert_eq!(first.0["history_version"], second["history_version"]);
    assert_ne!(first.1["downloaded_at"], job["downloaded_at"]);
    source.set(|state| state.etag = "\"a\"".to_owned());
    run_job(&ann, &id);
    // The source would send other data, but says that nothing has changed.
    source.set_body("City,Sales\nBonn,5\n");
    let job = run_job(&ann, &id);
    assert_eq!(job["prepared_data"]["data"], json!([{ "label": "Bonn", "value": 4 }]));
    source.set(|state| state.etag = "\"b\"".to_owned());
    let job = run_job(&ann, &id);
    assert_eq!(job["prepared_data"]["data"], json!([{ "label": "Bonn", "value": 5 }]));
}

#[test]
fn data_that_somebody_changed_are_those_of_the_source_after_the_next_run() {
    let (server, source) = (start_server(), Source::start("City,Sales\nBonn,4\n"));
    source.set(|state| state.etag = "\"a\"".to_owned());
    let ann = server.ann();
    let id = create_document(&ann, "bar");
    create_job(&ann, &id, &source.url);
    wait_until("the first run", || read_job(&ann, &id)["downloaded_at"].is_string());
    let path = format!("/api/v1/users/me/documents/{id}");
    let current = json!([{ "label": "Bonn", "value": 4 }]);
    ann.post(&format!("{path}/history/1/restore"), json!({})).expect(200);
    assert_ne!(read_document(&ann, &id)["data"], current);
    // The source has not changed, and would say so.
    run_job(&ann, &id);
    assert_eq!(read_document(&ann, &id)["data"], current);
    ann.put(&format!("{path}/data"), json!([{ "label": "Mine", "value": 1 }])).expect(200);
    run_job(&ann, &id);
    assert_eq!(read_document(&ann, &id)["data"], current);
}

#[test]
fn a_run_changes_only_the_data_and_its_settings() {
    let (server, source) = (start_server(), Source::start("City,Sales\nBonn,4\n"));
    let ann = server.ann();
    let id = create_document(&ann, "bar");
    let body = json!({
        "document_id": id, "url": source.url, "document_settings": { "yTitle": "Euro" },
    });
    ann.post("/api/v1/sync/create", body).expect(204);
    wait_until("the first run", || read_job(&ann, &id)["downloaded_at"].is_string());
    let mut document = read_document(&ann, &id);
    let path = format!("/api/v1/users/me/documents/{id}");
    document["title"] = json!("Renamed");
    document["theme"] = json!("dark");
    document["settings"]["yTitle"] = json!("Dollar");
    document["settings"]["subtitle"] = json!("Mine");
    ann.put(&path, document).expect(200);
    source.set_body("City,Sales\nBonn,9\n");
    run_job(&ann, &id);
    let document = read_document(&ann, &id);
    assert_eq!((&document["title"], &document["theme"]), (&json!("Renamed"), &json!("dark")));
    assert_eq!(document["settings"]["subtitle"], "Mine");
    assert_eq!(document["settings"]["yTitle"], "Euro", "the setting of the job");
    assert_eq!(document["data"], json!([{ "label": "Bonn", "value": 9 }]));
}

#[test]
fn columns_that_move_keep_their_place_in_the_chart() {
    let (server, source) = (start_server(), Source::start("City,2024,2025\nBonn,4,6\nKöln,7,9\n"));
    let ann = server.ann();
    let id = create_document(&ann, "pie");
    create_job(&ann, &id, &source.url);
    wait_until("the first run", || read_job(&ann, &id)["downloaded_at"].is_string());
    let values = || {
        let data = read_document(&ann, &id)["data"].clone();
        data.as_array().unwrap().iter().map(|record| record["value"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(values(), [json!(4), json!(7)]);
    source.set_body("2025,City,Note,2024\n6,Bonn,x,5\n9,Köln,y,8\n");
    let job = run_job(&ann, &id);
    assert!(job.get("error").is_none(), "{job}");
    assert_eq!(values(), [json!(5), json!(8)], "2024 stays, although 2025 comes first");
    // Another schedule is no other source.
    let before = read_job(&ann, &id)["downloaded_at"].clone();
    let changed = json!({
        "document_id": id, "url": source.url, "interval_sec": 86_400, "time_of_day_utc": "09:30",
    });
    ann.post("/api/v1/sync/create", changed).expect(204);
    wait_until("the run of the new job", || {
        let now = read_job(&ann, &id)["downloaded_at"].clone();
        now.is_string() && now != before
    });
    assert_eq!(values(), [json!(5), json!(8)], "after a change of the schedule");
    // Without the column, the chart would show other numbers under the same title.
    source.set_body("2025,City\n6,Bonn\n");
    let job = run_job(&ann, &id);
    assert_eq!(job["error"], "the file has no column \"2024\" any more");
    assert_eq!(values(), [json!(5), json!(8)]);
    assert_eq!(read_document(&ann, &id)["sync"]["status"], "failing");
    // The same source again is mapped as a new one, because it does not work.
    create_job(&ann, &id, &source.url);
    wait_until("the run after the failure", || values() == [json!(6)]);
}

#[test]
fn a_heading_in_another_case_is_the_same_column() {
    let (server, source) = (start_server(), Source::start("City,Sales,Costs\nBonn,4,1\n"));
    let ann = server.ann();
    let id = create_document(&ann, "bar");
    create_job(&ann, &id, &source.url);
    wait_until("the first run", || read_job(&ann, &id)["downloaded_at"].is_string());
    for headings in ["COSTS,CITY,SALES", "costs,City,sales"] {
        source.set_body(&format!("{headings}\n2,Bonn,5\n"));
        let job = run_job(&ann, &id);
        let record = &job["prepared_data"]["data"][0];
        assert_eq!(record["value"], 5, "{headings}: {job}");
        assert_eq!(record["label"], "Bonn", "{headings}: {job}");
    }
    // Two columns that differ only in their case are not the same.
    source.set_body("SALES,City,SalES\n1,Bonn,2\n");
    let error = run_job(&ann, &id)["error"].clone();
    assert_eq!(error, "the file has no column \"sales\" any more");
}

#[test]
fn an_optional_column_that_was_absent_gets_its_place_back() {
    let (server, source) = (start_server(), Source::start(""));
    source.set_body("Alpha,Beta,x,y\na1,b1,1,2\na2,b2,3,5\na3,b3,4,4\n");
    let ann = server.ann();
    let id = create_document(&ann, "scatter");
    create_job(&ann, &id, &source.url);
    wait_until("the first run", || read_job(&ann, &id)["downloaded_at"].is_string());
    let label = || read_document(&ann, &id)["data"][0]["label"].clone();
    assert_eq!(label(), "a1");
    source.set_body("Beta,x,y\nb1,1,2\nb2,3,5\nb3,4,4\n");
    assert!(run_job(&ann, &id).get("error").is_none());
    assert_ne!(label(), "b1", "another column does not take its place");
    source.set_body("Beta,Alpha,x,y\nb1,a1,1,2\nb2,a2,3,5\nb3,a3,4,4\n");
    assert!(run_job(&ann, &id).get("error").is_none());
    assert_eq!(label(), "a1");
}

#[test]
fn a_failing_source_keeps_the_last_data_and_says_why() {
    let (server, source) = (start_server(), Source::start("City,Sales\nBonn,4\n"));
    let ann = server.ann();
    let id = create_document(&ann, "bar");
    create_job(&ann, &id, &source.url);
    wait_until("the first run", || read_job(&ann, &id)["downloaded_at"].is_string());
    let downloaded_at = read_job(&ann, &id)["downloaded_at"].clone();
    for (status, body, error) in [
        (404, "gone", "there is no file at this address"),
        (403, "no", "the file is not shared with everybody"),
        (500, "<b>secret of the source</b>", "the source responded with status 500"),
        (429, "", "the source allows no more requests at present"),
        (
            0,
            "<!doctype html><title>Sign in</title>",
            "the address leads to a web page, not to a spreadsheet",
        ),
        (0, " ", "the file is empty"),
    ] {
        source.set(|state| state.status = status);
        source.set_body(body);
        let job = run_job(&ann, &id);
        assert_eq!(job["error"], error, "{status}");
        assert_eq!(job["downloaded_at"], downloaded_at);
        let document = read_document(&ann, &id);
        assert_eq!(document["data"], json!([{ "label": "Bonn", "value": 4 }]));
        assert_eq!(
            (&document["sync"]["status"], &document["sync"]["error"]),
            (&json!("failing"), &json!(error))
        );
    }
    source.set(|state| state.status = 0);
    source.set_body("City,Sales\nBonn,6\n");
    let job = run_job(&ann, &id);
    assert!(job.get("error").is_none());
    assert_eq!(read_document(&ann, &id)["sync"]["status"], "ok");
}

#[test]
fn transient_failures_are_repeated_and_final_ones_wait_for_the_schedule() {
    let (server, source) = (start_server(), Source::start(""));
    let ann = server.ann();
    // The schedule must not come before a repetition, also not shortly before midnight.
    let seconds = chartroom_platform::time::Timestamp::now().0 / 1000;
    let time_of_day = format!("{:02}:00", (seconds / 3600 + 12) % 24);
    let next_after = |status: u16, headers: &str| {
        source.set(|state| {
            state.status = status;
            state.headers = headers.to_owned();
        });
        let id = create_document(&ann, "bar");
        let body = json!({
            "document_id": id, "url": source.url, "interval_sec": 31_622_400,
            "time_of_day_utc": time_of_day,
        });
        ann.post("/api/v1/sync/create", body).expect(204);
        wait_until("the first run", || read_job(&ann, &id)["error"].is_string());
        seconds_until(&read_job(&ann, &id)["next_download_at"])
    };
    let soon = next_after(500, "");
    assert!((40..=75).contains(&soon), "{soon}");
    let asked = next_after(429, "retry-after: 500\r\n");
    assert!((490..=500).contains(&asked), "{asked}");
    let bounded = next_after(429, "retry-after: 99999999999999999999\r\n");
    assert!((40..=75).contains(&bounded), "{bounded}");
    let scheduled = next_after(404, "");
    assert!((39_000..=86_400).contains(&scheduled), "{scheduled}");
    assert!(source.hits() >= 4);
}

/// Returns the number of seconds from now to a time.
fn seconds_until(time: &Value) -> i64 {
    let time = chartroom_platform::time::Timestamp::parse_rfc3339(time.as_str().unwrap()).unwrap();
    (time.0 - chartroom_platform::time::Timestamp::now().0) / 1000
}

#[test]
fn a_replaced_job_stores_nothing_of_its_run() {
    let (server, slow) = (start_server(), Source::start("City,Sales\nOld,1\n"));
    let fast = Source::start("City,Sales\nNew,2\n");
    slow.set(|state| state.delay = Duration::from_secs(2));
    let ann = server.ann();
    let id = create_document(&ann, "bar");
    create_job(&ann, &id, &slow.url);
    wait_until("the slow run", || slow.hits() == 1);
    create_job(&ann, &id, &fast.url);
    wait_until("the run of the new job", || read_job(&ann, &id)["downloaded_at"].is_string());
    assert_eq!(read_document(&ann, &id)["data"], json!([{ "label": "New", "value": 2 }]));
    thread::sleep(Duration::from_millis(500));
    assert_eq!(read_document(&ann, &id)["data"], json!([{ "label": "New", "value": 2 }]));
    let history = ann.get(&format!("/api/v1/users/me/documents/{id}/history")).expect(200).text();
    assert_eq!(history.matches("\"sync\"").count(), 1, "{history}");
}

#[test]
fn fresh_joins_a_run_that_has_begun() {
    let (server, source) = (start_server(), Source::start("City,Sales\nBonn,4\n"));
    source.set(|state| state.delay = Duration::from_secs(1));
    let ann = server.ann();
    let id = create_document(&ann, "bar");
    create_job(&ann, &id, &source.url);
    wait_until("the first run", || source.hits() == 1);
    thread::scope(|threads| {
        let joined: Vec<_> =
            (0..4).map(|_| threads.spawn(|| run_job(&server.ann(), &id))).collect();
        for job in joined {
            assert!(job.join().unwrap()["downloaded_at"].is_string());
        }
    });
    let state = source.state.lock().unwrap().clone();
    assert_eq!((state.hits, state.open.1), (1, 1), "one download for all");
}

#[test]
fn a_job_stops_while_its_creator_or_the_document_is_out_of_reach() {
    let (server, source) = (start_server(), Source::start("City,Sales\nBonn,4\n"));
    let (ann, ben) = (server.ann(), server.ben());
    let id = create_document(&ann, "bar");
    let share = json!({ "owner": ann.id, "document": id, "user_id": ben.id, "mode": "w" });
    ann.post("/api/v1/share", share.clone()).expect(200);
    create_job(&ben, &id, &source.url);
    wait_until("the first run", || read_job(&ann, &id)["downloaded_at"].is_string());
    let check = |error: &str| {
        source.set_body("City,Sales\nBonn,5\n");
        let hits = source.hits();
        let job = run_job(&ann, &id);
        assert_eq!(job["error"], error);
        assert_eq!(source.hits(), hits, "no request without access");
        assert_eq!(read_document(&ann, &id)["sync"]["status"], "stopped");
    };
    ann.send_with_body(
        "PATCH",
        "/api/v1/share",
        json!({ "owner": ann.id, "document": id, "user_id": ben.id, "mode": "r" }),
    )
    .expect(200);
    check("the person that set up the source may not change the chart any more");
    ann.send_with_body("PATCH", "/api/v1/share", share).expect(200);
    // People who share a document have no access to it in the trash.
    create_job(&ann, &id, &source.url);
    wait_until("the run of the new job", || read_job(&ann, &id)["downloaded_at"].is_string());
    ann.delete(&format!("/api/v1/users/me/documents/{id}")).expect(204);
    check("the chart is in the trash");
    ann.post(&format!("/api/v1/users/me/documents/{id}"), json!({ "action": "restore" }))
        .expect(204);
    let job = run_job(&ann, &id);
    assert!(job.get("error").is_none(), "it resumes by itself: {job}");
    assert_eq!(read_document(&ann, &id)["data"][0]["value"], 5);
}

#[test]
fn a_job_resumes_when_its_document_leaves_the_trash() {
    let (server, source) = (start_server(), Source::start("City,Sales\nBonn,4\n"));
    let ann = server.ann();
    let folder = "/api/v1/users/me/folders/Work";
    ann.put(folder, json!({})).expect(200);
    let created = json!({ "widget": "bar", "folder": "/Work" });
    let created = ann.post("/api/v1/create-document", created).expect(200).json();
    let id = created["id"].as_str().unwrap();
    let document = format!("/api/v1/users/me/documents/{id}");
    let body = json!({
        "document_id": id, "url": source.url, "interval_sec": 604_800 * 8, "time_of_day_utc": "00:00",
    });
    ann.post("/api/v1/sync/create", body).expect(204);
    wait_until("the first run", || read_job(&ann, id)["downloaded_at"].is_string());
    for (number, path) in [(5, document.as_str()), (6, folder)] {
        ann.delete(path).expect(204);
        assert_eq!(run_job(&ann, id)["error"], "the chart is in the trash");
        source.set_body(&format!("City,Sales\nBonn,{number}\n"));
        assert_eq!(ann.post(path, json!({ "action": "restore" })).status, 204, "{path}");
        wait_until("a run after the restoration", || {
            read_document(&ann, id)["data"][0]["value"] == number
        });
        assert_eq!(read_document(&ann, id)["sync"]["status"], "ok");
    }
}

#[test]
fn jobs_run_once_after_downtime_and_survive_a_kill() {
    let source = Source::start("City,Sales\nBonn,4\n");
    let mut server = start_server();
    let ids: Vec<String> = (0..5)
        .map(|_| {
            let ann = server.ann();
            let id = create_document(&ann, "bar");
            let body = json!({
                "document_id": id, "url": source.url, "interval_sec": 4, "time_of_day_utc": "00:00",
            });
            ann.post("/api/v1/sync/create", body).expect(204);
            id
        })
        .collect();
    wait_until("the first runs", || {
        ids.iter().all(|id| read_job(&server.ann(), id)["downloaded_at"].is_string())
    });
    source.set(|state| state.delay = Duration::from_secs(30));
    wait_until("a run during the kill", || source.state.lock().unwrap().open.0 > 0);
    server.kill();
    // Several times of the schedule pass.
    thread::sleep(Duration::from_secs(9));
    source.set(|state| {
        state.delay = Duration::ZERO;
        state.hits = 0;
    });
    source.set_body("City,Sales\nBonn,5\n");
    let began = Instant::now();
    server.start();
    wait_until("the runs after the start", || {
        ids.iter().all(|id| read_document(&server.ann(), id)["data"][0]["value"] == 5)
    });
    // One run for the missed times, and those of the schedule since.
    let intervals = usize::try_from(began.elapsed().as_secs()).unwrap() / 4 + 1;
    assert!(source.hits() <= ids.len() * (1 + intervals), "{} requests", source.hits());
}

#[test]
fn a_host_gets_two_requests_at_once_and_slow_hosts_delay_no_other() {
    let (server, slow) =
        (start_server_with(&[("sync_threads", "12")]), Source::start("City,Sales\nSlow,1\n"));
    slow.set(|state| state.delay = Duration::from_secs(3));
    let other = Source::start("City,Sales\nBonn,4\n");
    // Two names of the same machine are two hosts.
    let other_url = other.url.replace("127.0.0.1", "localhost");
    let ann = server.ann();
    for _ in 0..6 {
        create_job(&ann, &create_document(&ann, "bar"), &slow.url);
    }
    wait_until("the slow runs", || slow.hits() == 2);
    let began = Instant::now();
    let id = create_document(&ann, "bar");
    create_job(&ann, &id, &other_url);
    wait_until("the run at the other host", || read_job(&ann, &id)["downloaded_at"].is_string());
    assert!(began.elapsed() < Duration::from_millis(2500), "{:?}", began.elapsed());
    wait_until("all slow runs", || slow.hits() == 6);
    assert_eq!(slow.state.lock().unwrap().open.1, 2);
}

#[test]
fn a_screen_gets_the_new_image_and_the_time_of_the_data() {
    let (server, source) = (start_server(), Source::start("City,Sales\nBonn,4\n"));
    let ann = server.ann();
    let id = create_document(&ann, "bar");
    let cast = json!({ "document_id": id, "device_name": "Lobby" });
    let cast = ann.post("/api/v1/cast/sessions", cast).expect(200).json();
    let path = format!("/api/v1/cast/{}/check", cast["token"].as_str().unwrap());
    let check = || server.guest().get(&path).expect(200).json();
    let before = check();
    assert!(before.get("data_from").is_none() && before.get("source_fails").is_none());
    create_job(&ann, &id, &source.url);
    wait_until("the first run", || check()["data_from"].is_string());
    let after = check();
    assert_ne!(before["image_version"], after["image_version"]);
    assert_eq!(after["data_from"], read_job(&ann, &id)["downloaded_at"]);
    assert_eq!(after["source_fails"], false);
    source.set(|state| state.status = 404);
    run_job(&ann, &id);
    assert_eq!(check()["source_fails"], true);
    assert_eq!(check()["data_from"], after["data_from"]);
}

#[test]
fn the_prepared_data_count_for_the_storage_limit_until_the_source_is_removed() {
    let rows: String = (0..2000).map(|n| format!("Place {n},{}\n", n * 7919 % 10_007)).collect();
    let (server, source) = (start_server(), Source::start(&format!("City,Sales\n{rows}")));
    let ann = server.ann();
    let used =
        || ann.get("/api/v1/user").expect(200).json()["storage_used_bytes"].as_i64().unwrap();
    let id = create_document(&ann, "bar");
    create_job(&ann, &id, &source.url);
    wait_until("the first run", || read_job(&ann, &id)["downloaded_at"].is_string());
    let with_source = used();
    assert_eq!(server.run_json(&["doctor"])["ok"], true);
    ann.delete(&format!("/api/v1/sync/document/{id}")).expect(204);
    let freed = with_source - used();
    assert!((2_000..60_000).contains(&freed), "{freed} bytes");
    assert_eq!(server.run_json(&["doctor"])["ok"], true);
}
