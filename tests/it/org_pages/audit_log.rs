//! The page of the audit log.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use chartroom::features::orgs::Plan;
use chartroom::features::orgs::Seats;
use serde_json::Value;
use serde_json::json;

use super::PagesFixture;
use super::assert_contains;

/// Types of objects in the names of actions.
const TYPES: &[&str] = &[
    "asset",
    "cast",
    "document",
    "domain",
    "folder",
    "invite",
    "member",
    "org",
    "settings",
    "sign_in",
    "sso",
    "subscription",
    "team",
    "theme",
    "token",
    "user",
];
/// Last parts of names that are not actions: files and fields.
const OTHER_ENDINGS: &[&str] = &[
    "",
    "count",
    "css",
    "html",
    "id",
    "js",
    "key",
    "mode",
    "name",
    "names",
    "orientation",
    "txt",
    "x",
    "xml",
];

/// Returns the bodies of the rows.
fn rows(page: &str) -> Vec<&str> {
    let (_, body) = page.split_once("<tbody role=\"rowgroup\">").unwrap_or_default();
    body.split("<tr role=\"row\">").skip(1).collect()
}

/// Adds the string literals below `directory` that look like actions.
fn collect_actions(directory: &Path, found: &mut BTreeSet<String>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect_actions(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            for literal in text.split('"') {
                let Some((kind, verb)) = literal.split_once('.') else { continue };
                let is_verb = verb.chars().all(|char| char.is_ascii_lowercase() || char == '_');
                let is_other = OTHER_ENDINGS.contains(&verb) || literal == "settings.share";
                if TYPES.contains(&kind) && is_verb && !is_other {
                    found.insert(literal.to_owned());
                }
            }
        }
    }
}

#[test]
fn every_recorded_action_can_be_selected() {
    let page = PagesFixture::new().page("/audit");
    let offered: BTreeSet<String> = page
        .split("<option value=\"")
        .skip(2)
        .map(|rest| rest.split('"').next().unwrap().to_owned())
        .collect();
    let mut recorded = BTreeSet::new();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for directory in ["features", "cli"] {
        collect_actions(&source.join(directory), &mut recorded);
    }
    assert!(recorded.len() > 50, "{recorded:?}");
    assert_eq!(offered, recorded);
}

#[test]
fn events_are_in_words_and_filtered() {
    let fixture = PagesFixture::new();
    fixture.verify_domain();
    fixture.api("POST", "/teams", json!({ "name": "North <b>", "members": [] }));
    fixture.api("PATCH", "/settings", json!({ "disable_public_documents": true }));
    let page = fixture.page("/audit");
    let found = rows(&page);
    assert_contains(&page, &[">Time (UTC)</th>", "at most 16 MiB"]);
    assert_contains(found[0], &["\" data-utc>", " UTC</time>"]);
    assert_contains(found[0], &["Settings changed", "disable public documents: no → yes"]);
    assert_contains(
        found[0],
        &["ann@example.org", "The acme <span class=\"muted\">organization</span>"],
    );
    assert_contains(found[1], &["Team created", "North &#60;b&#62;", "127.0.0.1"]);
    assert!(!page.contains("North <b>"));

    let first = |query: &str| {
        let page = fixture.page(&format!("/audit?{query}"));
        let found = rows(&page);
        (found.len(), found.first().map(|row| (*row).to_owned()).unwrap_or_default())
    };
    let (count, row) = first("action=team.create");
    assert_eq!(count, 1);
    assert_contains(&row, &["Team created"]);
    // The team and its folder.
    assert_eq!(first("q=NORTH").0, 2);
    assert_eq!(first("q=nothing%20of%20this").0, 0);
    let ann = fixture.orgs.user_id("Ann");
    let all = found.len();
    // The command line made the other events.
    assert_eq!(first(&format!("user_id={ann}")).0, 3);
    assert!(all > 3, "{all}");
    assert_eq!(first(&format!("user_id={}", fixture.orgs.user_id("Ben"))).0, 0);
    // The last day is part of the range.
    let today = chartroom_platform::time::Timestamp::now().to_string()[..10].to_owned();
    assert_eq!(first(&format!("from={today}&to={today}")).0, all);
    assert_eq!(first("to=2020-01-01").0, 0);
    assert_eq!(first("from=2999-01-01").0, 0);
}

#[test]
fn the_export_has_the_events_of_the_filter() {
    let fixture = PagesFixture::new();
    fixture.api("POST", "/teams", json!({ "name": "North", "members": [] }));
    let today = chartroom_platform::time::Timestamp::now().to_string()[..10].to_owned();
    let page = fixture.page(&format!("/audit?action=team.create&from={today}&to={today}&q=north"));
    let (_, rest) = page.split_once("href=\"/api/v1/orgs/acme").unwrap();
    let path = rest.split('"').next().unwrap().replace("&#38;", "&").replace("&amp;", "&");
    assert!(path.ends_with("format=csv"), "{path}");
    let export = fixture.orgs.request_org("Ann", "GET", &path, Value::Null);
    assert_eq!(export.status, 200, "{}", export.text);
    let lines: Vec<_> = export.body.lines().collect();
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(lines[1].contains("team.create") && lines[1].contains("North"), "{lines:?}");
}

#[test]
fn long_logs_have_pages_and_keep_the_filter() {
    let fixture = PagesFixture::new();
    for number in 0..60 {
        fixture.api("POST", "/teams", json!({ "name": format!("T{number:02}"), "members": [] }));
    }
    let page = fixture.page("/audit?action=team.create");
    assert_eq!(rows(&page).len(), 50);
    assert!(!page.contains(">Previous<"));
    let link = page.split("href=\"/orgs/acme").find(|part| part.contains(">Next</a>")).unwrap();
    let path = link.split('"').next().unwrap().replace("&#38;", "&");
    let next = fixture.page(&path);
    let found = rows(&next);
    assert_eq!(found.len(), 10);
    assert_contains(found[9], &["T00"]);
    assert!(next.contains(">Previous<") && !next.contains(">Next<"));
    let end = fixture.page("/audit?action=team.create&offset=500");
    assert_contains(
        &end,
        &["No more events.", "action=team.create&#38;user_id=&#38;q=&#38;offset=0"],
    );
    assert!(!end.contains("Nothing was changed") && !end.contains(">Previous<"));
}

#[test]
fn invalid_days_are_named_and_other_plans_explained() {
    let fixture = PagesFixture::new();
    let refused = fixture.get("Ann", "/audit?from=31.1.2027&q=keep");
    assert_eq!(refused.status, 400);
    assert_contains(
        &refused.body,
        &["First day must be a date", "value=\"31.1.2027\"", "value=\"keep\""],
    );
    assert!(!refused.body.contains("format=csv") && !refused.body.contains("No event matches"));
    assert_eq!(fixture.get("Bea", "/audit").status, 403);
    assert_eq!(fixture.get("Dan", "/audit").status, 404);
    fixture.set_plan(Plan::Team, Seats::Unlimited);
    let refused = fixture.get("Ann", "/audit");
    assert_eq!(refused.status, 403);
    assert_contains(&refused.body, &["The audit log needs the plan enterprise."]);
}
