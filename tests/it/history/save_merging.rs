//! Tests of which saves are merged into one version.

use serde_json::json;

use super::HistoryFixture;

#[test]
fn saves_of_one_user_within_a_minute_are_one_version() {
    let fixture = HistoryFixture::new();
    let path = fixture.create_document();
    assert_eq!(fixture.version_numbers(&path), [2, 1], "the initial version stays");
    let save = |authorization: &str, title: &str| {
        fixture.save_as(authorization, &path, &json!({ "title": title }))
    };
    assert_eq!(save(&fixture.ann_auth, "a"), 3);
    assert_eq!(save(&fixture.ann_auth, "ab"), 3);
    fixture.add_record(&fixture.ann_auth, &path, &json!({ "label": "x" }));
    assert_eq!(fixture.newest_version(&path), 3);
    assert_eq!(fixture.get_json(&format!("{path}/history"))["results"][0]["title"], "ab");
    // The limit is one minute after the first save, not after the last.
    fixture.server.execute_sql("update version set began = began - 60000");
    assert_eq!(save(&fixture.ann_auth, "abc"), 4);
    assert_eq!(fixture.get_json(&format!("{path}/history/3"))["title"], "ab");
    assert_eq!(fixture.get_json(&format!("{path}/history/2"))["title"], "Empty");
}

#[test]
fn saves_of_different_users_are_separate_versions() {
    let fixture = HistoryFixture::new();
    let path = fixture.create_document();
    fixture.share_with(&path, &fixture.ben_id, "w");
    assert_eq!(fixture.save_as(&fixture.ann_auth, &path, &json!({ "title": "Ann's" })), 3);
    assert_eq!(fixture.save_as(&fixture.ben_auth, &path, &json!({ "title": "Ben's" })), 4);
    assert_eq!(fixture.save_as(&fixture.ann_auth, &path, &json!({ "title": "Ann's again" })), 5);
    fixture.add_record(&fixture.ben_auth, &path, &json!({ "label": "x" }));
    assert_eq!(fixture.newest_version(&path), 6);
    assert_eq!(fixture.get_json(&format!("{path}/history/4"))["title"], "Ben's");
    assert_eq!(fixture.get_json(&format!("{path}/history/5"))["data"], json!([]));
}

#[test]
fn saves_of_guests_with_a_link_are_separate_versions() {
    let fixture = HistoryFixture::new();
    let path = fixture.create_document();
    fixture.share_by_link(&path, "w");
    let save_as_guest = |title: &str| {
        let address = format!("{path}?share={}", super::LINK_TOKEN);
        let headers = [("content-type", "application/json")];
        let body = json!({ "title": title }).to_string();
        assert_eq!(fixture.server.send("PUT", &address, &headers, &body).status, 200);
    };
    save_as_guest("one");
    save_as_guest("two");
    assert_eq!(fixture.newest_version(&path), 4);
    let newest = fixture.get_json(&format!("{path}/history"))["results"][0].clone();
    assert_eq!((&newest["author"], &newest["channel"]), (&json!(null), &json!("api")));
    assert_eq!(fixture.get_json(&format!("{path}/history/3"))["title"], "one");
}

#[test]
fn final_save_close_and_naming_end_a_version() {
    let fixture = HistoryFixture::new();
    let path = fixture.create_document();
    let save = |title: &str| fixture.save_as(&fixture.ann_auth, &path, &json!({ "title": title }));
    save("a");
    let final_save = json!({ "title": "b", "final_save": true });
    assert_eq!(
        fixture.save_as(&fixture.ann_auth, &path, &final_save),
        3,
        "the last save of a session is part of it"
    );
    assert_eq!(save("c"), 4);
    // The last save may change nothing.
    assert_eq!(
        fixture.save_as(&fixture.ann_auth, &path, &json!({ "title": "c", "final_save": true })),
        4
    );
    assert_eq!(save("d"), 5);
    assert_eq!(fixture.send_as_ann("POST", &path, r#"{"action":"close"}"#).status, 204);
    assert_eq!(save("e"), 6);
    assert_eq!(
        fixture.send_as_ann("PATCH", &format!("{path}/history/6"), r#"{"name":"E"}"#).status,
        200
    );
    assert_eq!(save("f"), 7);
    // A person who closes the document ends only their own session, not Ann's.
    fixture.share_with(&path, &fixture.ben_id, "w");
    let closed = fixture.server.request(&fixture.ben_auth, "POST", &path, r#"{"action":"close"}"#);
    assert_eq!(closed.status, 204);
    assert_eq!(save("g"), 7);
    let titles = ["b", "c", "d", "e", "g"].iter().zip(3..);
    for (title, number) in titles {
        assert_eq!(fixture.get_json(&format!("{path}/history/{number}"))["title"], *title);
    }
}

#[test]
fn only_a_content_change_creates_a_version() {
    let fixture = HistoryFixture::new();
    let path = fixture.create_document();
    fixture.save_as(&fixture.ann_auth, &path, &json!({ "title": "T" }));
    fixture.age_versions_by_a_minute();
    assert_eq!(fixture.save_as(&fixture.ann_auth, &path, &json!({ "title": "T" })), 3);
    assert_eq!(fixture.save_as(&fixture.ann_auth, &path, &json!({ "version": 7 })), 3);
    assert_eq!(fixture.send_as_ann("PATCH", &path, r#"{"folder":"/Elsewhere"}"#).status, 200);
    assert_eq!(fixture.newest_version(&path), 3);
    assert_eq!(fixture.send_as_ann("PATCH", &path, r#"{"title":"Renamed"}"#).status, 200);
    assert_eq!(fixture.newest_version(&path), 4);
    assert_eq!(fixture.get_json(&format!("{path}/history/3"))["title"], "T");
    assert_eq!(
        fixture.send_as_ann("PUT", &format!("{path}/data"), r#"[{"label":"x"}]"#).status,
        200
    );
    assert_eq!(fixture.newest_version(&path), 4, "within a minute");
    // The folder of a document is not part of its history.
    let third_version = fixture.get_json(&format!("{path}/history/3"));
    assert_eq!(
        (&third_version["folder"], &third_version["version"]),
        (&json!("/Elsewhere"), &json!(7))
    );
}
