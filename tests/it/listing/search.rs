//! Tests of search as sequences of requests: matches, order and presentation.

use serde_json::Value;
use serde_json::json;

use super::Speaker;
use super::World;
use super::keys;
use super::names;
use crate::talk::Answer;

impl World {
    /// Ann, Ben and Cid with a search index.
    pub(super) fn searchable() -> Self {
        let mut world = Self::new();
        world.server.index();
        world
    }

    /// Sends `GET /search` with a text and optional query parameters.
    pub(super) fn search(&self, who: &Speaker, text: &str, more: &str) -> Answer {
        let text: String = form_urlencoded::byte_serialize(text.as_bytes()).collect();
        self.ask(who, "GET", &format!("/search?query={text}{more}"), &Value::Null)
    }

    /// Returns the matches of a text, best first.
    #[track_caller]
    pub(super) fn found(&self, who: &Speaker, text: &str) -> Vec<String> {
        let answer = self.search(who, text, "&limit=100");
        assert_eq!(answer.status, 200, "{text}: {}", answer.text);
        let found = answer.json();
        let names = names(&found);
        assert_eq!(found["count"], names.len(), "{text}: {names:?}");
        names
    }

    /// Replaces the data and style of a document.
    fn write(&self, who: &Speaker, path: &str, data: &Value, style: &Value) {
        let title = &self.get(who, path)["title"];
        let body = json!({ "title": title, "data": data, "style": style });
        let saved = self.ask(who, "PUT", path, &body);
        assert_eq!(saved.status, 200, "{}", saved.text);
    }
}

#[test]
fn words_are_found_wherever_they_stand_and_shown_there() {
    let world = World::searchable();
    let ann = &world.ann;
    let path = world.document(ann, "me", "/Quarterly/Board", "Revenue by quarter");
    let style = json!({
        "subtitle": "Amounts in <b>thou</b>sand crowns",
        "description": "Without the <i>harbour</i> & \"docks\"",
        "footer": "Source: annual ledger",
    });
    world.write(ann, &path, &json!([{ "label": "Zugspitze", "value": 17 }]), &style);
    let other = world.document(ann, "me", "/", "Something else");
    world.write(ann, &other, &json!([]), &json!({}));

    let check = |text: &str, highlight: &str| {
        let found = world.search(ann, text, "").json();
        let mut documents = found["results"].as_array().unwrap().iter();
        let first = documents.find(|it| it["type"] == "document").unwrap();
        assert_eq!(first["document"]["title"], "Revenue by quarter", "{text}");
        assert_eq!(first["highlight"], highlight, "{text}");
        assert!(documents.all(|it| it["type"] == "folder"), "{text}: {:?}", names(&found));
    };
    check("revenue", "<mark>Revenue</mark> by quarter");
    check("thousand", "Amounts in <mark>thousand</mark> crowns");
    check("docks", "Without the harbour &amp; &quot;<mark>docks</mark>&quot;");
    check("ledger", "Source: annual <mark>ledger</mark>");
    check("zugspitze", "<mark>Zugspitze</mark>");
    check("board revenue", "<mark>Revenue</mark> by quarter");
    check("board", "/Quarterly/<mark>Board</mark>");

    // The kind and the owner also match.
    assert_eq!(world.found(ann, "bar chart").len(), 2);
    assert_eq!(world.found(ann, "ann revenue"), ["Revenue by quarter"]);
    // A folder is a separate match.
    assert_eq!(world.found(ann, "quarterly").len(), 3);
    let folder = world.search(ann, "quarterly -board", "").json();
    assert_eq!(names(&folder), ["/Quarterly"]);
    assert_eq!(keys(&folder["results"][0]), "type folder urls etag highlight");
    assert_eq!(folder["results"][0]["highlight"], "<mark>Quarterly</mark>");
    // Content from before a change no longer matches.
    world.write(ann, &path, &json!([{ "label": "Mont Blanc", "value": 1 }]), &json!({}));
    assert_eq!(world.found(ann, "zugspitze"), [""; 0]);
    assert_eq!(world.found(ann, "thousand"), [""; 0]);
    assert_eq!(world.found(ann, "blanc"), ["Revenue by quarter"]);
}

#[test]
fn case_accents_typing_and_scripts_do_not_stand_in_the_way() {
    let world = World::searchable();
    let ann = &world.ann;
    for title in
        ["Größenverteilung der Äpfel", "Temperature anomaly", "年間売上高の推移", "서울 인구"]
    {
        let path = world.document(ann, "me", "/", title);
        world.write(ann, &path, &json!([]), &json!({}));
    }
    let check = |text: &str, want: &str| {
        assert_eq!(world.found(ann, text), [want], "{text}");
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
    let nothing = |text: &str| assert_eq!(world.found(ann, text), [""; 0], "{text}");
    nothing("\"anomaly temperature\"");
    nothing("temperature -anomaly");
    nothing("temp anomaly");
    nothing("上売");
    nothing("temperature größ");
    // Only the last word may be a prefix.
    check("anomaly temp", "Temperature anomaly");
}

#[test]
fn titles_come_before_texts_and_the_new_before_the_old() {
    let world = World::searchable();
    let ann = &world.ann;
    let text = world.document(ann, "me", "/", "In the text");
    let old = world.document(ann, "me", "/", "Cheese of yore");
    let new = world.document(ann, "me", "/", "Cheese of late");
    for path in [&text, &old, &new] {
        let data = json!([{ "label": "cheese" }]);
        world.write(ann, path, &data, &json!({}));
    }
    let id = old.rsplit('/').next().unwrap();
    let aged = "update node set updated = updated - 400 * 86400000,
                change = (select max(change) + 1 from node) where id = ?1";
    world.sql(aged, &[id]);
    assert_eq!(world.found(ann, "cheese"), ["Cheese of late", "Cheese of yore", "In the text"]);
}

#[test]
fn pages_are_cut_from_all_that_is_found() {
    let world = World::searchable();
    let ann = &world.ann;
    for number in 0..25 {
        world.document(ann, "me", "/", &format!("Comet {number:02}"));
    }
    let first = world.search(ann, "comet", "");
    let page = first.json();
    assert_eq!(keys(&page), "offset limit count query results");
    assert_eq!(
        (&page["offset"], &page["limit"], &page["count"]),
        (&json!(0), &json!(10), &json!(25))
    );
    assert_eq!(page["query"], "comet");
    assert_eq!(keys(&page["results"][0]), "type document urls etag highlight");
    let next = "<http://127.0.0.1:8080/api/v1/search?query=comet&offset=10&limit=10>; rel=\"next\"";
    assert_eq!(first.headers("link"), [next]);
    let mut all: Vec<String> = Vec::new();
    for offset in [0, 10, 20] {
        all.extend(names(&world.search(ann, "comet", &format!("&offset={offset}")).json()));
    }
    all.sort();
    assert_eq!(all, (0..25).map(|it| format!("Comet {it:02}")).collect::<Vec<_>>());
    let check = |more: &str, limit: u32, length: usize| {
        let page = world.search(ann, "comet", more).json();
        assert_eq!((&page["limit"], &page["count"]), (&json!(limit), &json!(25)), "{more}");
        assert_eq!(names(&page).len(), length, "{more}");
    };
    check("&limit=1000", 100, 25);
    check("&limit=0", 0, 0);
    check("&offset=24", 10, 1);
    check("&offset=25", 10, 0);
    check("&offset=4294967295&limit=100", 100, 0);
    let tag = first.header("etag");
    let headers = [("authorization", ann.token.as_str()), ("if-none-match", &tag)];
    let again = world.server.send("GET", "/api/v1/search?query=comet", &headers, "");
    assert_eq!(again.status, 304);
}

/// Queries that try to break a parser, and queries with typing errors.
#[rustfmt::skip]
const NASTY: &[&str] = &[
    " ", "\u{0}", "\"", "\"\"\"", "-", "--", "-\"", "*", "?", "a*", "*a", "(", "((((a", ")",
    "[a TO b]", "{a TO *}", "title:", "title:x", "id:*", "owner:1 OR 1=1", "a AND",
    "AND OR NOT", "NOT", "+-+", "a^", "a^9999999", "a~", "a~99", "~2", "\\", "\\\"", "a\\",
    "/re.*gex/", "/(/", "'; drop table node; --", "%", "%00", "%s%n", "${jndi:x}", "<script>",
    "\u{202e}abc", "\u{feff}", "\u{fffd}", "\u{10ffff}", "é\u{301}\u{301}\u{301}", "👩‍👩‍👧‍👦",
    "ﷺ", "ǆ", "İ", "ß", "\t\r\n", "1e999", "-1", "-0", "0x", "NaN", "null", "IN [a b c]",
    "a:b:c", "..", "a..b",
];

#[test]
fn whatever_is_typed_gets_an_answer() {
    let world = World::searchable();
    let ann = &world.ann;
    world.document(ann, "me", "/", "Ordinary");
    let refused = |path: &str| {
        let answer = world.ask(ann, "GET", path, &Value::Null);
        assert_eq!(answer.status, 400, "{path}");
        assert!(answer.body.contains("query"), "{}", answer.body);
    };
    refused("/search");
    refused("/search?query=");
    refused(&format!("/search?query={}", "x".repeat(501)));
    let bad = world.search(ann, "x", "&limit=-1");
    assert_eq!(bad.status, 400);
    let long = |text: &str| text.repeat(500 / text.chars().count());
    let long =
        ["a ", "-a ", "\"a\" ", "\"", "abcdefghi ", "売", "ﷺ", "İ", "é\u{301}", "-", "abcdefghijk"]
            .map(long);
    for text in NASTY.iter().copied().chain(long.iter().map(String::as_str)) {
        let answer = world.search(ann, text, "");
        assert_eq!(answer.status, 200, "{text:?}: {}", answer.text);
        assert_eq!(answer.json()["query"], text);
    }
    // Bytes that are not UTF-8.
    let status = world.ask(ann, "GET", "/search?query=%ff%fe%c0", &Value::Null).status;
    assert!([200, 400].contains(&status), "{status}");
    assert_eq!(world.found(ann, "ordin"), ["Ordinary"]);
}

#[test]
fn what_one_has_written_is_found_at_once() {
    let world = World::searchable();
    let ann = &world.ann;
    for number in 0..8 {
        let title = format!("Fresh{number}");
        let path = world.document(ann, "me", "/", &title);
        assert_eq!(world.found(ann, &title), [title.as_str()]);
        let renamed = world.ask(ann, "PATCH", &path, &json!({ "title": format!("Stale{number}") }));
        assert_eq!(renamed.status, 200);
        assert_eq!(world.found(ann, &title), [""; 0]);
        assert_eq!(world.ask(ann, "DELETE", &path, &Value::Null).status, 204);
        assert_eq!(world.found(ann, &format!("Stale{number}")), [""; 0], "it is in the trash");
        let restored = world.ask(ann, "POST", &path, &json!({ "action": "restore" }));
        assert!(restored.status < 300, "{}", restored.text);
        assert_eq!(world.found(ann, &format!("Stale{number}")).len(), 1);
        let expunged = world.ask(ann, "DELETE", &format!("{path}?expunge=1"), &Value::Null);
        assert_eq!(expunged.status, 204, "{}", expunged.text);
        assert_eq!(world.found(ann, &format!("Stale{number}")), [""; 0]);
    }
}

#[test]
fn what_is_below_a_folder_follows_its_name() {
    let world = World::searchable();
    let ann = &world.ann;
    world.document(ann, "me", "/Winter/Snow/Deep", "Report");
    assert_eq!(world.found(ann, "winter").len(), 4);
    let renamed = "update node set title = 'Summer', title_key = 'summer',
                   change = (select max(change) + 1 from node) where title = ?1";
    world.sql(renamed, &["Winter"]);
    assert_eq!(world.found(ann, "winter"), [""; 0]);
    let mut found = world.found(ann, "summer");
    found.sort();
    assert_eq!(found, ["/Summer", "/Summer/Snow", "/Summer/Snow/Deep", "Report"]);
}
