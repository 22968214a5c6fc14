//! Tests of team members: who is listed, and which details a caller gets.

use chartroom::features::access;
use chartroom::features::access::AccessLevel;
use chartroom::features::access::Caller;
use chartroom::features::access::Resource;
use chartroom::features::accounts;
use chartroom::features::tree;
use chartroom_platform::id::NodeId;
use serde_json::Value;
use serde_json::json;

use super::Talk;
use crate::teams::World;

/// Returns the team members that a caller sees, with name and address as far as they are shown.
fn members(talk: &Talk, name: &str) -> Vec<String> {
    let all = talk.done(name, "GET", "", Value::Null);
    told(&all["team_members"])
}

fn told(members: &Value) -> Vec<String> {
    let text =
        |it: &Value| format!("{} {}", it["name"].as_str().unwrap(), it["email"].as_str().unwrap());
    members.as_array().unwrap().iter().map(|it| text(it).trim_end().to_owned()).collect()
}

const ANN: &str = "Ann ann@example.org";
const BEA: &str = "Bea bea@example.org";
const BEN: &str = "Ben ben@example.org";
const CID: &str = "Cid cid@example.org";
const DAN: &str = "Dan dan@example.org";

#[test]
fn team_members_are_who_sees_the_document_by_an_account() {
    let talk = Talk::about("me");
    assert_eq!(members(&talk, "Ann"), [ANN]);
    talk.invite("Ben", "r");
    talk.invite("Dan", "w");
    let link = talk.link("r");
    // Cid opens the document by a link and comments. The members do not learn that Cid can return.
    talk.done("Cid", "POST", &link, super::thread(&[super::said("Hello")]));
    assert_eq!(members(&talk, "Ann"), [ANN, BEN, DAN]);
    let ann = talk.number("Ann");
    let want = json!({
        "id": ann,
        "name": "Ann",
        "email": "ann@example.org",
        "avatar_url": format!("http://127.0.0.1:8080/api/v1/users/{ann}/avatar.svg"),
    });
    let all = talk.done("Ann", "GET", "", Value::Null);
    assert_eq!(all["team_members"][0], want);
    // The response for one thread has the same members.
    let thread = format!("/{}", all["threads"][0]["id"].as_str().unwrap());
    assert_eq!(talk.done("Ann", "GET", &thread, Value::Null)["team_members"], all["team_members"]);
}

#[test]
fn in_an_organization_they_are_its_members_but_for_the_folders_of_teams() {
    let talk = Talk::about("acme");
    assert_eq!(members(&talk, "Cid"), [ANN, BEA, BEN, CID]);
    let world = talk.world;
    world.ask("Ann", "POST", "/teams", json!({ "name": "Sales", "members": ["ben"] }));
    let talk = Talk::about_in(world, "acme", "/Sales");
    assert_eq!(members(&talk, "Ben"), [ANN, BEN]);
    talk.invite("Dan", "r");
    assert_eq!(members(&talk, "Ben"), [ANN, BEN, DAN]);
}

#[test]
fn who_was_let_in_from_outside_does_not_learn_who_else_was() {
    let talk = Talk::about("acme");
    talk.invite("Dan", "r");
    assert_eq!(members(&talk, "Dan"), [DAN]);
    // Dan sees the names of the authors of comments, but not their addresses.
    let (thread, _) = talk.begin("Ben", "Hello");
    assert_eq!(members(&talk, "Dan"), ["Ben", DAN]);
    let one = talk.done("Dan", "GET", &thread, Value::Null);
    assert_eq!(told(&one["team_members"]), ["Ben", DAN]);
    // A caller with write access sees the accounts in the document's `acl`, and no other members.
    talk.invite("Cid", "r");
    assert_eq!(members(&talk, "Dan"), ["Ben", DAN]);
    talk.invite("Dan", "w");
    assert_eq!(members(&talk, "Dan"), ["Ben", CID, DAN]);
    // A guest sees no members.
    let guest = talk.done("", "GET", &talk.link("w"), Value::Null);
    assert_eq!(guest["threads"][0]["comments"][0]["author_displayname"], "Ben");
    assert_eq!(guest["team_members"], json!([]));

    // On a personal document, the owner's name is shown to every reader.
    let hers = Talk::about_in(talk.world, "me", "/");
    hers.invite("Dan", "r");
    hers.invite("Ben", "r");
    assert_eq!(members(&hers, "Dan"), ["Ann", DAN]);
    assert_eq!(members(&hers, "Ann"), [ANN, BEN, DAN]);
}

#[test]
fn who_is_disabled_or_whose_share_is_over_is_no_team_member() {
    let talk = Talk::about("me");
    talk.invite("Ben", "r");
    talk.invite("Cid", "r");
    assert_eq!(members(&talk, "Ann"), [ANN, BEN, CID]);
    talk.world.server.sql("update user set disabled = 1 where name = 'Ben'");
    assert_eq!(members(&talk, "Ann"), [ANN, CID]);
    talk.world.server.sql("update access_entry set expires = 1000");
    assert_eq!(members(&talk, "Ann"), [ANN]);
}

/// Compares the list of people with the access level that `level` returns for each of them.
#[track_caller]
fn agree(world: &World, doc: &str, state: &str) -> usize {
    let id = NodeId::from_text(doc);
    world
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
                let wanted = level > AccessLevel::None && !user.disabled;
                let is_there = people.iter().any(|it| it.id == user.id);
                assert_eq!(is_there, wanted, "{}, {state}", user.name);
            }
            Ok(people.len())
        })
        .unwrap()
}

#[test]
fn the_list_of_people_agrees_with_the_decision_about_each() {
    let world = World::new();
    world.ask("Ann", "POST", "/teams", json!({ "name": "Sales", "members": ["ben"] }));
    let other = world.ask("Ann", "POST", "/teams", json!({ "name": "Other", "members": ["cid"] }));
    for (owner, folder) in [("me", "/Plans/2026"), ("acme", "/"), ("acme", "/Sales/2026")] {
        let world = World::new();
        world.ask("Ann", "POST", "/teams", json!({ "name": "Sales", "members": ["ben"] }));
        let talk = Talk::about_in(world, owner, folder);
        let state = |text: &str| format!("{owner} {folder}: {text}");
        let mut counts = vec![agree(&talk.world, &talk.doc, &state("new"))];
        talk.invite("Dan", "r");
        counts.push(agree(&talk.world, &talk.doc, &state("shared with Dan")));
        talk.invite("Cid", "w");
        let body = json!({ "owner": talk.owner, "folder": folder, "user_id": talk.world.id("Bea"), "mode": "w" });
        if folder != "/" {
            talk.world.anything("Ann", "POST", "/api/v1/share", body);
        }
        counts.push(agree(&talk.world, &talk.doc, &state("and with Cid and Bea")));
        talk.world.anything("Ann", "DELETE", &talk.document(), Value::Null);
        counts.push(agree(&talk.world, &talk.doc, &state("in the trash")));
        talk.world.server.sql("update user set disabled = 1 where name = 'Bea'");
        counts.push(agree(&talk.world, &talk.doc, &state("Bea is disabled")));
        talk.world.server.sql("update node set parent = null where trash_path is not null");
        counts.push(agree(&talk.world, &talk.doc, &state("its folder is gone")));
        talk.world.server.sql("update user set disabled = 1 where name = 'Ann'");
        counts.push(agree(&talk.world, &talk.doc, &state("Ann is disabled")));
        let distinct: std::collections::BTreeSet<_> = counts.iter().collect();
        assert!(distinct.len() > 2, "{owner} {folder}: {counts:?}");
    }
    assert_eq!(other.status, 200);
    // A team that has an access entry.
    let talk = Talk::about_in(world, "acme", "/Sales");
    assert_eq!(agree(&talk.world, &talk.doc, "of Sales"), 2);
    talk.share(json!({ "team": other.json()["id"] }));
    assert_eq!(agree(&talk.world, &talk.doc, "of Sales, shared with Other"), 3);
}
