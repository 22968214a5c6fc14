//! Tests of the team members of a document: the listed accounts and their details.

use chartroom::features::access;
use chartroom::features::access::AccessLevel;
use chartroom::features::access::Caller;
use chartroom::features::access::Resource;
use chartroom::features::accounts;
use chartroom::features::tree;
use chartroom_platform::id::NodeId;
use serde_json::Value;
use serde_json::json;

use super::CommentFixture;
use crate::teams::OrgFixture;

/// Returns the team members that a caller sees, with name and address as far as they are shown.
fn list_team_members(comments: &CommentFixture, name: &str) -> Vec<String> {
    let response_body = comments.request_ok(name, "GET", "", Value::Null);
    format_members(&response_body["team_members"])
}

/// Formats members as name and address, if they are shown.
fn format_members(members: &Value) -> Vec<String> {
    let format_member = |member: &Value| {
        format!("{} {}", member["name"].as_str().unwrap(), member["email"].as_str().unwrap())
    };
    members
        .as_array()
        .unwrap()
        .iter()
        .map(|member| format_member(member).trim_end().to_owned())
        .collect()
}

const ANN: &str = "Ann ann@example.org";
const BEA: &str = "Bea bea@example.org";
const BEN: &str = "Ben ben@example.org";
const CID: &str = "Cid cid@example.org";
const DAN: &str = "Dan dan@example.org";

#[test]
fn team_members_are_accounts_with_access() {
    let comments = CommentFixture::for_owner("me");
    assert_eq!(list_team_members(&comments, "Ann"), [ANN]);
    comments.grant_access("Ben", "r");
    comments.grant_access("Dan", "w");
    let link = comments.create_link_query("r");
    // Cid opens the document by a link and comments. The members do not learn that Cid can return.
    comments.request_ok("Cid", "POST", &link, super::thread_body(&[super::text_part("Hello")]));
    assert_eq!(list_team_members(&comments, "Ann"), [ANN, BEN, DAN]);
    let ann = comments.user_number("Ann");
    let expected = json!({
        "id": ann,
        "name": "Ann",
        "email": "ann@example.org",
        "avatar_url": format!("http://127.0.0.1:8080/api/v1/users/{ann}/avatar.svg"),
    });
    let listed = comments.request_ok("Ann", "GET", "", Value::Null);
    assert_eq!(listed["team_members"][0], expected);
    // The response for one thread has the same members.
    let thread = format!("/{}", listed["threads"][0]["id"].as_str().unwrap());
    assert_eq!(
        comments.request_ok("Ann", "GET", &thread, Value::Null)["team_members"],
        listed["team_members"]
    );
}

#[test]
fn team_members_of_an_org_document_are_members_with_access() {
    let comments = CommentFixture::for_owner("acme");
    assert_eq!(list_team_members(&comments, "Cid"), [ANN, BEA, BEN, CID]);
    let fixture = comments.fixture;
    fixture.request_org("Ann", "POST", "/teams", json!({ "name": "Sales", "members": ["ben"] }));
    let comments = CommentFixture::in_folder(fixture, "acme", "/Sales");
    assert_eq!(list_team_members(&comments, "Ben"), [ANN, BEN]);
    comments.grant_access("Dan", "r");
    assert_eq!(list_team_members(&comments, "Ben"), [ANN, BEN, DAN]);
}

#[test]
fn external_user_does_not_see_other_team_members() {
    let comments = CommentFixture::for_owner("acme");
    comments.grant_access("Dan", "r");
    assert_eq!(list_team_members(&comments, "Dan"), [DAN]);
    // Dan sees the names of the authors of comments, but not their addresses.
    let (thread, _) = comments.start_thread("Ben", "Hello");
    assert_eq!(list_team_members(&comments, "Dan"), ["Ben", DAN]);
    let thread_json = comments.request_ok("Dan", "GET", &thread, Value::Null);
    assert_eq!(format_members(&thread_json["team_members"]), ["Ben", DAN]);
    // A caller with write access sees the accounts in the document's `acl`, and no other members.
    comments.grant_access("Cid", "r");
    assert_eq!(list_team_members(&comments, "Dan"), ["Ben", DAN]);
    comments.grant_access("Dan", "w");
    assert_eq!(list_team_members(&comments, "Dan"), ["Ben", CID, DAN]);
    // A guest sees no members.
    let guest = comments.request_ok("", "GET", &comments.create_link_query("w"), Value::Null);
    assert_eq!(guest["threads"][0]["comments"][0]["author_displayname"], "Ben");
    assert_eq!(guest["team_members"], json!([]));

    // On a personal document, the owner's name is shown to every reader.
    let personal = CommentFixture::in_folder(comments.fixture, "me", "/");
    personal.grant_access("Dan", "r");
    personal.grant_access("Ben", "r");
    assert_eq!(list_team_members(&personal, "Dan"), ["Ann", DAN]);
    assert_eq!(list_team_members(&personal, "Ann"), [ANN, BEN, DAN]);
}

#[test]
fn disabled_users_and_expired_entries_are_not_team_members() {
    let comments = CommentFixture::for_owner("me");
    comments.grant_access("Ben", "r");
    comments.grant_access("Cid", "r");
    assert_eq!(list_team_members(&comments, "Ann"), [ANN, BEN, CID]);
    comments.fixture.server.execute_sql("update user set disabled = 1 where name = 'Ben'");
    assert_eq!(list_team_members(&comments, "Ann"), [ANN, CID]);
    comments.fixture.server.execute_sql("update access_entry set expires = 1000");
    assert_eq!(list_team_members(&comments, "Ann"), [ANN]);
}

/// Panics unless the list of people with access matches the access level of each enabled user.
/// Returns the number of listed people. `state` describes the situation in the message.
#[track_caller]
fn count_people_with_access(comments: &CommentFixture, state: &str) -> usize {
    let id = NodeId::from_text(comments.document_id.as_str());
    comments
        .fixture
        .server
        .app
        .db
        .read(|tx| {
            let node = tree::find_node(tx, &id)?.unwrap();
            let resource = Resource {
                node: Some(&id),
                owner: &node.owner,
                is_public: false,
                in_trash: node.deleted.is_some(),
            };
            let people = access::list_people_with_access(tx, &id)?;
            for user in accounts::list_users(tx)? {
                let level = access::access_level(tx, &Caller::from(&user.user()), &resource)?;
                let has_access = level > AccessLevel::None && !user.disabled;
                let is_listed = people.iter().any(|listed| listed.id == user.id);
                assert_eq!(is_listed, has_access, "{}, {state}", user.name);
            }
            Ok(people.len())
        })
        .unwrap()
}

#[test]
fn list_of_people_with_access_matches_access_levels() {
    let fixture = OrgFixture::new();
    fixture.request_org("Ann", "POST", "/teams", json!({ "name": "Sales", "members": ["ben"] }));
    let other_team = fixture.request_org(
        "Ann",
        "POST",
        "/teams",
        json!({ "name": "Other", "members": ["cid"] }),
    );
    for (owner, folder) in [("me", "/Plans/2026"), ("acme", "/"), ("acme", "/Sales/2026")] {
        let fixture = OrgFixture::new();
        fixture.request_org(
            "Ann",
            "POST",
            "/teams",
            json!({ "name": "Sales", "members": ["ben"] }),
        );
        let comments = CommentFixture::in_folder(fixture, owner, folder);
        let state = |text: &str| format!("{owner} {folder}: {text}");
        let mut counts = vec![count_people_with_access(&comments, &state("new"))];
        comments.grant_access("Dan", "r");
        counts.push(count_people_with_access(&comments, &state("shared with Dan")));
        comments.grant_access("Cid", "w");
        let bea = comments.fixture.user_id("Bea");
        let body =
            json!({ "owner": comments.owner, "folder": folder, "user_id": bea, "mode": "w" });
        if folder != "/" {
            comments.fixture.request("Ann", "POST", "/api/v1/share", body);
        }
        counts.push(count_people_with_access(&comments, &state("and with Cid and Bea")));
        comments.fixture.request("Ann", "DELETE", &comments.document_path(), Value::Null);
        counts.push(count_people_with_access(&comments, &state("in the trash")));
        comments.fixture.server.execute_sql("update user set disabled = 1 where name = 'Bea'");
        counts.push(count_people_with_access(&comments, &state("Bea is disabled")));
        comments
            .fixture
            .server
            .execute_sql("update node set parent = null where trash_path is not null");
        counts.push(count_people_with_access(&comments, &state("its folder is gone")));
        comments.fixture.server.execute_sql("update user set disabled = 1 where name = 'Ann'");
        counts.push(count_people_with_access(&comments, &state("Ann is disabled")));
        let distinct: std::collections::BTreeSet<_> = counts.iter().collect();
        assert!(distinct.len() > 2, "{owner} {folder}: {counts:?}");
    }
    assert_eq!(other_team.status, 200);
    // A team that has an access entry.
    let comments = CommentFixture::in_folder(fixture, "acme", "/Sales");
    assert_eq!(count_people_with_access(&comments, "of Sales"), 2);
    comments.share(json!({ "team": other_team.json()["id"] }));
    assert_eq!(count_people_with_access(&comments, "of Sales, shared with Other"), 3);
}
