//! Tests of search: matches, order and presentation.

use std::time::Duration;
use std::time::Instant;

use chartroom::features::tree;
use serde_json::Value;
use serde_json::json;

use super::ListingFixture;
use super::TestAccount;
use super::entry_names;
use super::join_keys;
use crate::test_server::Response;

impl ListingFixture {
    /// Starts a server with a search index and the users Ann, Ben and Cid.
    pub(super) fn with_search_index() -> Self {
        let mut fixture = Self::new();
        fixture.server.start_indexer();
        fixture
    }

    /// Waits until the index contains all changes. A search waits only for the changes of its caller,
    /// and not for long.
    pub(super) fn wait_for_all_changes(&self) {
        let last = self.server.app.db.read(tree::last_change_number).unwrap();
        self.server.wait_for_indexed_change(last);
    }

    /// Sends `GET /search` with a text and optional query parameters, after the index contains all
    /// changes.
    pub(super) fn search(&self, account: &TestAccount, text: &str, extra_query: &str) -> Response {
        self.wait_for_all_changes();
        self.send_search(account, text, extra_query)
    }

    /// Sends `GET /search` with a text and optional query parameters.
    fn send_search(&self, account: &TestAccount, text: &str, extra_query: &str) -> Response {
        let text: String = form_urlencoded::byte_serialize(text.as_bytes()).collect();
        self.request(account, "GET", &format!("/search?query={text}{extra_query}"), &Value::Null)
    }

    /// Returns the names of the matches of a text, best first. Panics if their number differs from
    /// the count in the response.
    #[track_caller]
    pub(super) fn search_names(&self, account: &TestAccount, text: &str) -> Vec<String> {
        let response = self.search(account, text, "&limit=100");
        assert_eq!(response.status, 200, "{text}: {}", response.text);
        let found = response.json();
        let names = entry_names(&found);
        assert_eq!(found["count"], names.len(), "{text}: {names:?}");
        names
    }

    /// Replaces the data and style of a document.
    fn replace_content(&self, account: &TestAccount, path: &str, data: &Value, style: &Value) {
        let title = &self.get_json(account, path)["title"];
        let body = json!({ "title": title, "data": data, "style": style });
        let saved = self.request(account, "PUT", path, &body);
        assert_eq!(saved.status, 200, "{}", saved.text);
    }
}

#[test]
fn search_waits_briefly_for_own_changes_and_never_for_those_of_others() {
    let mut fixture = ListingFixture::with_search_index();
    fixture.create_document(&fixture.ann, "me", "/", "Revenue");
    fixture.create_document(&fixture.ben, "me", "/", "Revenue");
    assert_eq!(fixture.search_names(&fixture.ben, "revenue").len(), 1);
    // Without the indexer, the next change never reaches the index.
    fixture.server.stop_indexer();
    fixture.create_document(&fixture.ann, "me", "/", "Forecast");
    let time_search = |account| {
        let started = Instant::now();
        let found = fixture.send_search(account, "revenue", "");
        assert_eq!(found.json()["count"], 1);
        started.elapsed()
    };
    let own = time_search(&fixture.ann);
    assert!(own >= Duration::from_millis(300) && own < Duration::from_secs(30), "{own:?}");
    // On a busy machine, a search can take long without waiting for a change. One that waits never
    // takes less than 300 ms.
    let other = (0..20).map(|_| time_search(&fixture.ben)).min().unwrap();
    assert!(other < Duration::from_millis(300), "{other:?}");
}

#[test]
fn words_match_in_all_fields_and_are_highlighted() {
    let fixture = ListingFixture::with_search_index();
    let ann = &fixture.ann;
    let path = fixture.create_document(ann, "me", "/Quarterly/Board", "Revenue by quarter");
    let style = json!({
        "subtitle": "Amounts in <b>thou</b>sand crowns",
        "description": "Without the <i>harbour</i> & \"docks\"",
        "footer": "Source: annual ledger",
    });
    fixture.replace_content(ann, &path, &json!([{ "label": "Zugspitze", "value": 17 }]), &style);
    let other_document = fixture.create_document(ann, "me", "/", "Something else");
    fixture.replace_content(ann, &other_document, &json!([]), &json!({}));

    let check = |text: &str, highlight: &str| {
        let found = fixture.search(ann, text, "").json();
        let mut documents = found["results"].as_array().unwrap().iter();
        let first = documents.find(|entry| entry["type"] == "document").unwrap();
        assert_eq!(first["document"]["title"], "Revenue by quarter", "{text}");
        assert_eq!(first["highlight"], highlight, "{text}");
        assert!(
            documents.all(|entry| entry["type"] == "folder"),
            "{text}: {:?}",
            entry_names(&found)
        );
    };
    check("revenue", "<mark>Revenue</mark> by quarter");
    check("thousand", "Amounts in <mark>thousand</mark> crowns");
    check("docks", "Without the harbour &amp; &quot;<mark>docks</mark>&quot;");
    check("ledger", "Source: annual <mark>ledger</mark>");
    check("zugspitze", "<mark>Zugspitze</mark>");
    check("board revenue", "<mark>Revenue</mark> by quarter");
    check("board", "/Quarterly/<mark>Board</mark>");

    // The kind and the owner also match.
    assert_eq!(fixture.search_names(ann, "bar chart").len(), 2);
    assert_eq!(fixture.search_names(ann, "Balkendiagramm").len(), 2);
    assert_eq!(fixture.search_names(ann, "ann revenue"), ["Revenue by quarter"]);
    // A folder is a separate match.
    assert_eq!(fixture.search_names(ann, "quarterly").len(), 3);
    let folder = fixture.search(ann, "quarterly -board", "").json();
    assert_eq!(entry_names(&folder), ["/Quarterly"]);
    assert_eq!(join_keys(&folder["results"][0]), "type folder urls etag highlight");
    assert_eq!(folder["results"][0]["highlight"], "<mark>Quarterly</mark>");
    // Content from before a change no longer matches.
    fixture.replace_content(
        ann,
        &path,
        &json!([{ "label": "Mont Blanc", "value": 1 }]),
        &json!({}),
    );
    assert_eq!(fixture.search_names(ann, "zugspitze"), [""; 0]);
    assert_eq!(fixture.search_names(ann, "thousand"), [""; 0]);
    assert_eq!(fixture.search_names(ann, "blanc"), ["Revenue by quarter"]);
}

#[test]
fn search_tolerates_case_accents_typing_errors_and_scripts() {
    let fixture = ListingFixture::with_search_index();
    let ann = &fixture.ann;
    for title in
        ["Größenverteilung der Äpfel", "Temperature anomaly", "年間売上高の推移", "서울 인구"]
    {
        let path = fixture.create_document(ann, "me", "/", title);
        fixture.replace_content(ann, &path, &json!([]), &json!({}));
    }
    let check = |text: &str, expected: &str| {
        assert_eq!(fixture.search_names(ann, text), [expected], "{text}");
    };
    check("GROSSENVERTEILUNG", "Größenverteilung der Äpfel");
    check("apfel", "Größenverteilung der Äpfel");
    check("größ", "Größenverteilung der Äpfel");
    check("der äp", "Größenverteilung der Äpfel");
    check("temperture", "Temperature anomaly");
    check("anomlay temperature", "Temperature anomaly");
    check("tempera", "Temperature anomaly");
    check("\"temperature anomaly\"", "Temperature anomaly");
    check("売上", "年間売上高の推移");
    check("売上高", "年間売上高の推移");
    check("推", "年間売上高の推移");
    check("인구", "서울 인구");
    check("\"서울 인\"", "서울 인구");
    let check_no_match =
        |text: &str| assert_eq!(fixture.search_names(ann, text), [""; 0], "{text}");
    check_no_match("\"anomaly temperature\"");
    check_no_match("temperature -anomaly");
    check_no_match("temp anomaly");
    check_no_match("上売");
    check_no_match("\"서울 구\"");
    check_no_match("temperature größ");
    // Only the last word may be a prefix.
    check("anomaly temp", "Temperature anomaly");
}

#[test]
fn title_matches_and_recent_documents_rank_higher() {
    let fixture = ListingFixture::with_search_index();
    let ann = &fixture.ann;
    let text_match = fixture.create_document(ann, "me", "/", "In the text");
    let old_match = fixture.create_document(ann, "me", "/", "Cheese of yore");
    let new_match = fixture.create_document(ann, "me", "/", "Cheese of late");
    for path in [&text_match, &old_match, &new_match] {
        let data = json!([{ "label": "cheese" }]);
        fixture.replace_content(ann, path, &data, &json!({}));
    }
    let id = old_match.rsplit('/').next().unwrap();
    let make_old = "update node set updated = updated - 400 * 86400000,
                change = (select max(change) + 1 from node) where id = ?1";
    fixture.execute_sql(make_old, &[id]);
    assert_eq!(
        fixture.search_names(ann, "cheese"),
        ["Cheese of late", "Cheese of yore", "In the text"]
    );
}

#[test]
fn search_results_are_paged() {
    let fixture = ListingFixture::with_search_index();
    let ann = &fixture.ann;
    for number in 0..25 {
        fixture.create_document(ann, "me", "/", &format!("Comet {number:02}"));
    }
    let first = fixture.search(ann, "comet", "");
    let page = first.json();
    assert_eq!(join_keys(&page), "offset limit count query results");
    assert_eq!(
        (&page["offset"], &page["limit"], &page["count"]),
        (&json!(0), &json!(10), &json!(25))
    );
    assert_eq!(page["query"], "comet");
    assert_eq!(join_keys(&page["results"][0]), "type document urls etag highlight starred");
    let next = "<http://127.0.0.1:8080/api/v1/search?query=comet&offset=10&limit=10>; rel=\"next\"";
    assert_eq!(first.headers("link"), [next]);
    let mut all_names: Vec<String> = Vec::new();
    for offset in [0, 10, 20] {
        all_names.extend(entry_names(
            &fixture.search(ann, "comet", &format!("&offset={offset}")).json(),
        ));
    }
    all_names.sort();
    assert_eq!(all_names, (0..25).map(|number| format!("Comet {number:02}")).collect::<Vec<_>>());
    let check = |extra_query: &str, limit: u32, length: usize| {
        let page = fixture.search(ann, "comet", extra_query).json();
        assert_eq!((&page["limit"], &page["count"]), (&json!(limit), &json!(25)), "{extra_query}");
        assert_eq!(entry_names(&page).len(), length, "{extra_query}");
    };
    check("&limit=1000", 100, 25);
    check("&limit=0", 0, 0);
    check("&offset=24", 10, 1);
    check("&offset=25", 10, 0);
    check("&offset=4294967295&limit=100", 100, 0);
    let tag = first.header("etag");
    let headers = [("authorization", ann.authorization.as_str()), ("if-none-match", &tag)];
    let again = fixture.server.send("GET", "/api/v1/search?query=comet", &headers, "");
    assert_eq!(again.status, 304);
}

/// Queries that try to break a parser, and queries with typing errors.
#[rustfmt::skip]
const HOSTILE_QUERIES: &[&str] = &[
    " ", "\u{0}", "\"", "\"\"\"", "-", "--", "-\"", "*", "?", "a*", "*a", "(", "((((a", ")",
    "[a TO b]", "{a TO *}", "title:", "title:x", "id:*", "owner:1 OR 1=1", "a AND",
    "AND OR NOT", "NOT", "+-+", "a^", "a^9999999", "a~", "a~99", "~2", "\\", "\\\"", "a\\",
    "/re.*gex/", "/(/", "'; drop table node; --", "%", "%00", "%s%n", "${jndi:x}", "<script>",
    "\u{202e}abc", "\u{feff}", "\u{fffd}", "\u{10ffff}", "é\u{301}\u{301}\u{301}", "👩‍👩‍👧‍👦",
    "ﷺ", "ǆ", "İ", "ß", "\t\r\n", "1e999", "-1", "-0", "0x", "NaN", "null", "IN [a b c]",
    "a:b:c", "..", "a..b",
];

#[test]
fn hostile_queries_never_fail() {
    let fixture = ListingFixture::with_search_index();
    let ann = &fixture.ann;
    fixture.create_document(ann, "me", "/", "Ordinary");
    let refused = |path: &str| {
        let response = fixture.request(ann, "GET", path, &Value::Null);
        assert_eq!(response.status, 400, "{path}");
        assert!(response.body.contains("query"), "{}", response.body);
    };
    refused("/search");
    refused("/search?query=");
    refused(&format!("/search?query={}", "x".repeat(501)));
    let negative_limit = fixture.search(ann, "x", "&limit=-1");
    assert_eq!(negative_limit.status, 400);
    let repeat_to_limit = |text: &str| text.repeat(500 / text.chars().count());
    let long =
        ["a ", "-a ", "\"a\" ", "\"", "abcdefghi ", "売", "ﷺ", "İ", "é\u{301}", "-", "abcdefghijk"]
            .map(repeat_to_limit);
    for text in HOSTILE_QUERIES.iter().copied().chain(long.iter().map(String::as_str)) {
        let response = fixture.search(ann, text, "");
        assert_eq!(response.status, 200, "{text:?}: {}", response.text);
        assert_eq!(response.json()["query"], text);
    }
    // Bytes that are not UTF-8.
    let status = fixture.request(ann, "GET", "/search?query=%ff%fe%c0", &Value::Null).status;
    assert!([200, 400].contains(&status), "{status}");
    assert_eq!(fixture.search_names(ann, "ordin"), ["Ordinary"]);
}

#[test]
fn own_changes_are_searchable_immediately() {
    let fixture = ListingFixture::with_search_index();
    let ann = &fixture.ann;
    for number in 0..8 {
        let title = format!("Fresh{number}");
        let path = fixture.create_document(ann, "me", "/", &title);
        assert_eq!(fixture.search_names(ann, &title), [title.as_str()]);
        let renamed =
            fixture.request(ann, "PATCH", &path, &json!({ "title": format!("Stale{number}") }));
        assert_eq!(renamed.status, 200);
        assert_eq!(fixture.search_names(ann, &title), [""; 0]);
        assert_eq!(fixture.request(ann, "DELETE", &path, &Value::Null).status, 204);
        assert_eq!(
            fixture.search_names(ann, &format!("Stale{number}")),
            [""; 0],
            "it is in the trash"
        );
        let restored = fixture.request(ann, "POST", &path, &json!({ "action": "restore" }));
        assert!(restored.status < 300, "{}", restored.text);
        assert_eq!(fixture.search_names(ann, &format!("Stale{number}")).len(), 1);
        let expunged = fixture.request(ann, "DELETE", &format!("{path}?expunge=1"), &Value::Null);
        assert_eq!(expunged.status, 204, "{}", expunged.text);
        assert_eq!(fixture.search_names(ann, &format!("Stale{number}")), [""; 0]);
    }
}

#[test]
fn renamed_folder_updates_matches_of_its_content() {
    let fixture = ListingFixture::with_search_index();
    let ann = &fixture.ann;
    fixture.create_document(ann, "me", "/Winter/Snow/Deep", "Report");
    assert_eq!(fixture.search_names(ann, "winter").len(), 4);
    let rename_sql = "update node set title = 'Summer', title_key = 'summer',
                   change = (select max(change) + 1 from node) where title = ?1";
    fixture.execute_sql(rename_sql, &["Winter"]);
    assert_eq!(fixture.search_names(ann, "winter"), [""; 0]);
    let mut found = fixture.search_names(ann, "summer");
    found.sort();
    assert_eq!(found, ["/Summer", "/Summer/Snow", "/Summer/Snow/Deep", "Report"]);
}
