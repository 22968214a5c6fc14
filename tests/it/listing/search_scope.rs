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

use super::ListingFixture;
use super::TestAccount;
use super::entry_names;

impl ListingFixture {
    /// Creates an organization with Ann as admin and Ben as member. Its team Growers has a folder
    /// and no members.
    fn create_orchard_org(&self) {
        let (ann, ben) = (self.ann.id.as_str(), self.ben.id.as_str());
        self.execute_sql(
            "insert into account (id, type, created) values ('Orchard1234', 'org', 0)",
            &[],
        );
        self.execute_sql(
            "insert into org (id, slug, name, plan, created)
             values ('Orchard1234', 'orchard', 'The Orchard', 'team', 0)",
            &[],
        );
        self.execute_sql(
            "insert into member (org_id, user_id, role, created)
             values ('Orchard1234', ?1, 'admin', 0), ('Orchard1234', ?2, 'member', 0)",
            &[ann, ben],
        );
        self.create_document(&self.ann, "orchard", "/Growers/Inner", "Pear secret");
        self.create_document(&self.ann, "orchard", "/Shed", "Pear tools");
        self.execute_sql(
            "insert into team (id, org_id, name, folder, created)
             select 'growers', 'Orchard1234', 'Growers', id, 0 from node where title = 'Growers'",
            &[],
        );
    }

    /// Adds an access entry on the only node with a title, for a user (`@` and the account id) or a
    /// team (its id). An empty `expires` means no expiry.
    fn grant_access(&self, title: &str, grantee: &str, expires: &str) {
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
        self.execute_sql(sql, &[&id, title, grantee, expires]);
    }
}

#[test]
fn search_finds_nothing_for_strangers_and_requires_sign_in() {
    let fixture = ListingFixture::with_search_index();
    let (ann, cid) = (&fixture.ann, &fixture.cid);
    let path = fixture.create_document(ann, "me", "/Private", "Plum");
    let public = fixture.request(ann, "PUT", &path, &json!({ "title": "Plum", "isPublic": true }));
    assert_eq!(public.status, 200, "{}", public.text);
    assert_eq!(fixture.search_names(ann, "plum"), ["Plum"]);
    // A public document is only for callers who have its address.
    assert_eq!(fixture.search_names(cid, "plum"), [""; 0]);
    assert_eq!(fixture.search_names(cid, "-nothing"), [""; 0]);
    assert_eq!(fixture.search_names(cid, "ann"), [""; 0]);
    assert_eq!(fixture.server.send("GET", "/api/v1/search?query=plum", &[], "").status, 401);
    let with_unknown_link =
        fixture.server.send("GET", "/api/v1/search?query=plum&share=none", &[], "");
    assert!(
        with_unknown_link.status == 401 || with_unknown_link.json()["count"] == 0,
        "{}",
        with_unknown_link.text
    );
}

#[test]
fn shared_nodes_are_found_counted_and_paged() {
    let fixture = ListingFixture::with_search_index();
    let (ann, ben) = (&fixture.ann, &fixture.ben);
    for number in 0..30 {
        fixture.create_document(ann, "me", "/", &format!("Plum {number}"));
    }
    for number in 0..12 {
        fixture.create_document(ann, "me", "/Shared/Deep", &format!("Plum jam {number}"));
    }
    fixture.create_document(ann, "me", "/Alone", "Plum cake");
    fixture.grant_access("Shared", &format!("@{}", ben.id), "");
    fixture.grant_access("Plum cake", &format!("@{}", ben.id), "");
    fixture.grant_access("Plum 7", &format!("@{}", ben.id), "1000");
    let page = fixture.search(ben, "plum", "").json();
    assert_eq!((&page["count"], entry_names(&page).len()), (&json!(13), 10));
    assert!(
        page["results"].as_array().unwrap().iter().all(|entry| entry["document"]["mode"] == "r")
    );
    assert_eq!(entry_names(&fixture.search(ben, "plum", "&offset=10").json()).len(), 3);
    assert_eq!(fixture.search_names(ann, "plum").len(), 43);
    assert_eq!(fixture.search_names(ben, "cake"), ["Plum cake"]);
    // The folder and its owner's name match.
    assert!(fixture.search_names(ben, "shared").contains(&"/Shared".to_owned()));
    assert_eq!(fixture.search_names(ben, "ann cake"), ["Plum cake"]);
    assert_eq!(fixture.search_names(ben, "alone"), ["Plum cake"]);
    // The match disappears as soon as the share ends.
    fixture.execute_sql("delete from access_entry where user_id = ?1", &[ben.id.as_str()]);
    assert_eq!(fixture.search_names(ben, "plum"), [""; 0]);
}

#[test]
fn share_link_searches_only_its_folder() {
    let fixture = ListingFixture::with_search_index();
    let ann = &fixture.ann;
    fixture.create_document(ann, "me", "/Open", "Plum jam");
    fixture.create_document(ann, "me", "/Shut", "Plum cake");
    for (title, token, expires) in [("Open", "good", None), ("Shut", "old", Some(1000_i64))] {
        let (id, hash) = (NodeId::new(), crypto::sha256(token.as_bytes()));
        let insert_entry = move |tx: &chartroom_platform::db::WriteTx<'_>| {
            tx.execute(
                "insert into access_entry
                     (id, node, type, mode, token_hash, created, created_by, expires)
                 select ?1, id, 'link', 'r', ?2, 0, owner, ?3 from node where title = ?4",
                rusqlite::params![id, hash, expires, title],
            )
        };
        fixture.server.app.db.write(insert_entry).unwrap();
    }
    fixture.wait_for_all_changes();
    let search_as_guest = |token: &str| {
        let path = format!("/api/v1/search?query=plum&share={token}");
        let response = fixture.server.send("GET", &path, &[], "");
        if response.status == 401 { vec![] } else { entry_names(&response.json()) }
    };
    assert_eq!(search_as_guest("good"), ["Plum jam"]);
    assert_eq!(search_as_guest("old"), [""; 0]);
    assert_eq!(search_as_guest("other"), [""; 0]);
    let with_account_and_link = fixture.search(&fixture.cid, "plum", "&share=good").json();
    assert_eq!(
        (entry_names(&with_account_and_link), &with_account_and_link["count"]),
        (vec!["Plum jam".to_owned()], &json!(1))
    );
}

#[test]
fn team_folder_is_searchable_only_for_the_team() {
    let fixture = ListingFixture::with_search_index();
    let (ann, ben, cid) = (&fixture.ann, &fixture.ben, &fixture.cid);
    fixture.create_orchard_org();
    let matching_names = |account: &TestAccount| {
        fixture.search_names(account, "pear").into_iter().collect::<BTreeSet<_>>()
    };
    let set =
        |titles: &[&str]| titles.iter().map(|title| (*title).to_owned()).collect::<BTreeSet<_>>();
    assert_eq!(matching_names(ann), set(&["Pear secret", "Pear tools"]), "an admin sees all");
    assert_eq!(matching_names(ben), set(&["Pear tools"]));
    assert_eq!(fixture.search_names(ben, "growers"), [""; 0]);
    assert_eq!(fixture.search_names(ben, "inner"), [""; 0]);
    assert_eq!(fixture.search_names(ben, "orchard tools"), ["Pear tools"], "by the owner's name");
    assert_eq!(matching_names(cid), set(&[]));
    // A share of an inner node opens only that node.
    fixture.grant_access("Pear secret", &format!("@{}", ben.id), "");
    assert_eq!(matching_names(ben), set(&["Pear secret", "Pear tools"]));
    fixture.execute_sql("delete from access_entry where user_id = ?1", &[ben.id.as_str()]);
    // A member of the team, and a user with an entry from the team.
    fixture.execute_sql(
        "insert into team_member (team_id, user_id, created) values ('growers', ?1, 0)",
        &[ben.id.as_str()],
    );
    assert_eq!(matching_names(ben), set(&["Pear secret", "Pear tools"]));
    fixture.create_document(cid, "me", "/Gift", "Pear gift");
    fixture.grant_access("Gift", "growers", "");
    assert_eq!(matching_names(ben), set(&["Pear gift", "Pear secret", "Pear tools"]));
    assert_eq!(
        matching_names(ann),
        set(&["Pear secret", "Pear tools"]),
        "the admin is not in the team"
    );
}

/// A random generator with the same sequence in every run.
struct SeededRandom(u64);

impl SeededRandom {
    /// Returns a number below `end`.
    fn below(&mut self, end: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((self.0 >> 33) % end as u64).unwrap()
    }
}

/// Creates sixty folders of three owners, some open to people and teams, and returns their ids.
fn create_random_folders(fixture: &ListingFixture) -> Vec<String> {
    let mut random = SeededRandom(7);
    let owners = [fixture.ann.id.to_string(), fixture.cid.id.to_string(), "Orchard1234".to_owned()];
    let mut folders: Vec<String> = Vec::new();
    for number in 0..60 {
        let owner = owners[random.below(3)].clone();
        let parent_count = folders.len() * usize::from(random.below(4) > 0);
        let parent = if parent_count > 0 {
            folders[random.below(parent_count)].clone()
        } else {
            String::new()
        };
        let (id, title) = (NodeId::new().to_string(), format!("Quince {number}"));
        // Below another owner's folder, the folder would belong to that owner.
        fixture.execute_sql(
            "insert into node (id, type, owner, parent, title, title_key, created, updated,
                 updated_by, revision, change)
             select ?1, 'folder', ifnull((select owner from node where id = ?2), ?3), nullif(?2, ''),
                    ?4, lower(?4), 0, 0, ?3, 1, max(change) + 1 from node",
            &[&id, &parent, &owner, &title],
        );
        folders.push(id);
        match random.below(6) {
            0 => fixture.grant_access(&title, &format!("@{}", fixture.ben.id), ""),
            1 => fixture.grant_access(
                &title,
                &format!("@{}", fixture.cid.id),
                ["", "1"][random.below(2)],
            ),
            2 => fixture.grant_access(&title, "growers", ""),
            3 => {
                let team = format!("team {number}");
                fixture.execute_sql(
                    "insert into team (id, org_id, name, folder, created)
                     select ?1, 'Orchard1234', ?1, id, 0 from node
                     where title = ?2 and owner = 'Orchard1234' union all
                     select ?1, 'Orchard1234', ?1, null, 0 limit 1",
                    &[&team, &title],
                );
                if random.below(2) == 0 {
                    fixture.execute_sql(
                        "insert into team_member values (?1, ?2, 0)",
                        &[&team, fixture.ben.id.as_str()],
                    );
                }
            }
            _ => {}
        }
    }
    folders
}

#[test]
fn search_finds_exactly_the_readable_nodes() {
    let fixture = ListingFixture::with_search_index();
    fixture.create_orchard_org();
    let folders = create_random_folders(&fixture);
    let mut counts = Vec::new();
    for account in [&fixture.ann, &fixture.ben, &fixture.cid] {
        let caller = Caller::from(&account.id);
        let readable = fixture.server.app.db.read(|tx| {
            let mut readable = BTreeSet::new();
            for id in folders.iter().map(|id| NodeId::from_text(id.as_str())) {
                let node = tree::find_node(tx, &id)?.unwrap();
                let resource = Resource {
                    node: Some(&id),
                    owner: &node.owner,
                    is_public: false,
                    in_trash: false,
                };
                if access::access_level(tx, &caller, &resource)? != AccessLevel::None {
                    readable.insert(node.title);
                }
            }
            Ok(readable)
        });
        let readable = readable.unwrap();
        let found: Value = fixture.search(account, "quince", "&limit=100").json();
        let titles = found["results"].as_array().unwrap().iter();
        let titles = titles.map(|entry| entry["folder"]["title"].as_str().unwrap().to_owned());
        assert_eq!(titles.collect::<BTreeSet<_>>(), readable);
        assert_eq!(found["count"], readable.len());
        counts.push(readable.len());
    }
    // Some, but not all, folders match, so that the test can detect a difference.
    assert!(counts.iter().all(|count| (5..60).contains(count)), "{counts:?}");
}
