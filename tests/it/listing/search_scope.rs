//! Tests that a search returns exactly the nodes that the caller may see, also in its counts.

use std::collections::BTreeSet;

use chartroom::features::access;
use chartroom::features::access::AccessLevel;
use chartroom::features::access::Caller;
use chartroom::features::access::Resource;
use chartroom::features::tree;
use chartroom_platform::crypto;
use chartroom_platform::id::NodeId;
use serde_json::Value;
use serde_json::json;

use super::Speaker;
use super::World;
use super::names;

impl World {
    /// Creates an organization with Ann as admin and Ben as member. Its team Growers has a folder
    /// and no members.
    fn orchard(&self) {
        let (ann, ben) = (self.ann.id.as_str(), self.ben.id.as_str());
        self.sql("insert into account (id, type, created) values ('Orchard1234', 'org', 0)", &[]);
        self.sql(
            "insert into org (id, slug, name, plan, created)
             values ('Orchard1234', 'orchard', 'The Orchard', 'team', 0)",
            &[],
        );
        self.sql(
            "insert into member (org_id, user_id, role, created)
             values ('Orchard1234', ?1, 'admin', 0), ('Orchard1234', ?2, 'member', 0)",
            &[ann, ben],
        );
        self.document(&self.ann, "orchard", "/Growers/Inner", "Pear secret");
        self.document(&self.ann, "orchard", "/Shed", "Pear tools");
        self.sql(
            "insert into team (id, org_id, name, folder, created)
             select 'growers', 'Orchard1234', 'Growers', id, 0 from node where title = 'Growers'",
            &[],
        );
    }

    /// Adds an access entry on the only node with a title: for a user (`@` and the user's id), a
    /// team or a link.
    fn open(&self, title: &str, grantee: &str, expires: &str) {
        let id = NodeId::new().to_string();
        let common = "insert into access_entry
                          (id, node, type, mode, user_id, team_id, created, created_by, expires)
                      select ?1, id, ";
        let rest = ", 0, owner, nullif(?4, '') from node where title = ?2 and ?3 <> ''";
        let (kind, grantee) = match grantee.strip_prefix('@') {
            Some(user) => ("'user', 'r', ?3, null", user),
            None => ("'team', 'r', null, ?3", grantee),
        };
        let sql: &'static str = Box::leak(format!("{common}{kind}{rest}").into_boxed_str());
        self.sql(sql, &[&id, title, grantee, expires]);
    }
}

#[test]
fn strangers_find_nothing_and_nobody_must_sign_in() {
    let world = World::searchable();
    let (ann, cid) = (&world.ann, &world.cid);
    let path = world.document(ann, "me", "/Private", "Plum");
    let public = world.ask(ann, "PUT", &path, &json!({ "title": "Plum", "isPublic": true }));
    assert_eq!(public.status, 200, "{}", public.text);
    assert_eq!(world.found(ann, "plum"), ["Plum"]);
    // A public document is only for callers who have its address.
    assert_eq!(world.found(cid, "plum"), [""; 0]);
    assert_eq!(world.found(cid, "-nothing"), [""; 0]);
    assert_eq!(world.found(cid, "ann"), [""; 0]);
    assert_eq!(world.server.send("GET", "/api/v1/search?query=plum", &[], "").status, 401);
    let wrong = world.server.send("GET", "/api/v1/search?query=plum&share=none", &[], "");
    assert!(wrong.status == 401 || wrong.json()["count"] == 0, "{}", wrong.text);
}

#[test]
fn what_is_shared_is_found_counted_and_fills_its_pages() {
    let world = World::searchable();
    let (ann, ben) = (&world.ann, &world.ben);
    for number in 0..30 {
        world.document(ann, "me", "/", &format!("Plum {number}"));
    }
    for number in 0..12 {
        world.document(ann, "me", "/Shared/Deep", &format!("Plum jam {number}"));
    }
    world.document(ann, "me", "/Alone", "Plum cake");
    world.open("Shared", &format!("@{}", ben.id), "");
    world.open("Plum cake", &format!("@{}", ben.id), "");
    world.open("Plum 7", &format!("@{}", ben.id), "1000");
    let page = world.search(ben, "plum", "").json();
    assert_eq!((&page["count"], names(&page).len()), (&json!(13), 10));
    assert!(page["results"].as_array().unwrap().iter().all(|it| it["document"]["mode"] == "r"));
    assert_eq!(names(&world.search(ben, "plum", "&offset=10").json()).len(), 3);
    assert_eq!(world.found(ann, "plum").len(), 43);
    assert_eq!(world.found(ben, "cake"), ["Plum cake"]);
    // The folder and its owner's name match.
    assert!(world.found(ben, "shared").contains(&"/Shared".to_owned()));
    assert_eq!(world.found(ben, "ann cake"), ["Plum cake"]);
    assert_eq!(world.found(ben, "alone"), ["Plum cake"]);
    // The match disappears as soon as the share ends.
    world.sql("delete from access_entry where user_id = ?1", &[ben.id.as_str()]);
    assert_eq!(world.found(ben, "plum"), [""; 0]);
}

#[test]
fn a_link_opens_what_it_is_for() {
    let world = World::searchable();
    let ann = &world.ann;
    world.document(ann, "me", "/Open", "Plum jam");
    world.document(ann, "me", "/Shut", "Plum cake");
    for (title, token, expires) in [("Open", "good", None), ("Shut", "old", Some(1000_i64))] {
        let (id, hash) = (NodeId::new(), crypto::sha256(token.as_bytes()));
        let add = move |tx: &chartroom_platform::db::WriteTx<'_>| {
            tx.execute(
                "insert into access_entry
                     (id, node, type, mode, token_hash, created, created_by, expires)
                 select ?1, id, 'link', 'r', ?2, 0, owner, ?3 from node where title = ?4",
                rusqlite::params![id, hash, expires, title],
            )
        };
        world.server.app.db.write(add).unwrap();
    }
    let guest = |token: &str| {
        let path = format!("/api/v1/search?query=plum&share={token}");
        let answer = world.server.send("GET", &path, &[], "");
        if answer.status == 401 { vec![] } else { names(&answer.json()) }
    };
    assert_eq!(guest("good"), ["Plum jam"]);
    assert_eq!(guest("old"), [""; 0]);
    assert_eq!(guest("other"), [""; 0]);
    let both = world.search(&world.cid, "plum", "&share=good").json();
    assert_eq!((names(&both), &both["count"]), (vec!["Plum jam".to_owned()], &json!(1)));
}

#[test]
fn a_team_closes_its_folder_to_the_others() {
    let world = World::searchable();
    let (ann, ben, cid) = (&world.ann, &world.ben, &world.cid);
    world.orchard();
    let found = |who: &Speaker| world.found(who, "pear").into_iter().collect::<BTreeSet<_>>();
    let set = |titles: &[&str]| titles.iter().map(|it| (*it).to_owned()).collect::<BTreeSet<_>>();
    assert_eq!(found(ann), set(&["Pear secret", "Pear tools"]), "an admin sees all");
    assert_eq!(found(ben), set(&["Pear tools"]));
    assert_eq!(world.found(ben, "growers"), [""; 0]);
    assert_eq!(world.found(ben, "inner"), [""; 0]);
    assert_eq!(world.found(ben, "orchard tools"), ["Pear tools"], "by the owner's name");
    assert_eq!(found(cid), set(&[]));
    // A share of an inner node opens only that node.
    world.open("Pear secret", &format!("@{}", ben.id), "");
    assert_eq!(found(ben), set(&["Pear secret", "Pear tools"]));
    world.sql("delete from access_entry where user_id = ?1", &[ben.id.as_str()]);
    // A member of the team, and a user with an entry from the team.
    world.sql(
        "insert into team_member (team_id, user_id, created) values ('growers', ?1, 0)",
        &[ben.id.as_str()],
    );
    assert_eq!(found(ben), set(&["Pear secret", "Pear tools"]));
    world.document(cid, "me", "/Gift", "Pear gift");
    world.open("Gift", "growers", "");
    assert_eq!(found(ben), set(&["Pear gift", "Pear secret", "Pear tools"]));
    assert_eq!(found(ann), set(&["Pear secret", "Pear tools"]), "the admin is not in the team");
}

/// A random generator with the same sequence in every run.
struct Chance(u64);

impl Chance {
    fn below(&mut self, end: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((self.0 >> 33) % end as u64).unwrap()
    }
}

/// Creates sixty folders of three owners, some open to people and teams, and returns their ids.
fn some_folders(world: &World) -> Vec<String> {
    let mut chance = Chance(7);
    let owners = [world.ann.id.to_string(), world.cid.id.to_string(), "Orchard1234".to_owned()];
    let mut folders: Vec<String> = Vec::new();
    for number in 0..60 {
        let owner = owners[chance.below(3)].clone();
        let inside = folders.len() * usize::from(chance.below(4) > 0);
        let parent = if inside > 0 { folders[chance.below(inside)].clone() } else { String::new() };
        let (id, title) = (NodeId::new().to_string(), format!("Quince {number}"));
        // Below another owner's folder, the folder would belong to that owner.
        world.sql(
            "insert into node (id, type, owner, parent, title, title_key, created, updated,
                 updated_by, revision, change)
             select ?1, 'folder', ifnull((select owner from node where id = ?2), ?3), nullif(?2, ''),
                    ?4, lower(?4), 0, 0, ?3, 1, max(change) + 1 from node",
            &[&id, &parent, &owner, &title],
        );
        folders.push(id);
        match chance.below(6) {
            0 => world.open(&title, &format!("@{}", world.ben.id), ""),
            1 => world.open(&title, &format!("@{}", world.cid.id), ["", "1"][chance.below(2)]),
            2 => world.open(&title, "growers", ""),
            3 => {
                let team = format!("team {number}");
                world.sql(
                    "insert into team (id, org_id, name, folder, created)
                     select ?1, 'Orchard1234', ?1, id, 0 from node
                     where title = ?2 and owner = 'Orchard1234' union all
                     select ?1, 'Orchard1234', ?1, null, 0 limit 1",
                    &[&team, &title],
                );
                if chance.below(2) == 0 {
                    world.sql(
                        "insert into team_member values (?1, ?2, 0)",
                        &[&team, world.ben.id.as_str()],
                    );
                }
            }
            _ => {}
        }
    }
    folders
}

#[test]
fn a_search_finds_exactly_what_its_caller_may_read() {
    let world = World::searchable();
    world.orchard();
    let folders = some_folders(&world);
    let mut counts = Vec::new();
    for who in [&world.ann, &world.ben, &world.cid] {
        let caller = Caller::from(&who.id);
        let may = world.server.app.db.read(|tx| {
            let mut may = BTreeSet::new();
            for id in folders.iter().map(|it| NodeId::from_text(it.as_str())) {
                let node = tree::find_node(tx, &id)?.unwrap();
                let resource = Resource {
                    node: Some(&id),
                    owner: &node.owner,
                    is_public: false,
                    in_trash: false,
                };
                if access::access_level(tx, &caller, &resource)? != AccessLevel::None {
                    may.insert(node.title);
                }
            }
            Ok(may)
        });
        let may = may.unwrap();
        let found: Value = world.search(who, "quince", "&limit=100").json();
        let titles = found["results"].as_array().unwrap().iter();
        let titles = titles.map(|it| it["folder"]["title"].as_str().unwrap().to_owned());
        assert_eq!(titles.collect::<BTreeSet<_>>(), may);
        assert_eq!(found["count"], may.len());
        counts.push(may.len());
    }
    // Some, but not all, folders match, so that the test can detect a difference.
    assert!(counts.iter().all(|it| (5..60).contains(it)), "{counts:?}");
}
