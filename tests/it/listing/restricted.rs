//! Tests of restricted entries: organizations, the folders of their teams, shared folders,
//! strangers.

use chartroom_platform::crypto;
use serde_json::Value;
use serde_json::json;

use super::ListingFixture;
use super::TestAccount;
use super::entry_names;

/// Creates an organization with Ann as admin and Ben as member. Its team Growers has a folder that
/// is closed to Ben.
fn create_orchard_org(fixture: &ListingFixture) {
    let (ann, ben) = (fixture.ann.id.as_str(), fixture.ben.id.as_str());
    fixture.execute_sql(
        "insert into account (id, type, created) values ('Orchard1234', 'org', 0)",
        &[],
    );
    fixture.execute_sql(
        "insert into org (id, slug, name, plan, created)
         values ('Orchard1234', 'orchard', 'Orchard', 'team', 0)",
        &[],
    );
    fixture.execute_sql(
        "insert into member (org_id, user_id, role, created)
         values ('Orchard1234', ?1, 'admin', 0), ('Orchard1234', ?2, 'member', 0)",
        &[ann, ben],
    );
    fixture.create_document(&fixture.ann, "orchard", "/Growers", "Secret");
    fixture.create_document(&fixture.ann, "orchard", "/Shed", "Tools");
    let folder =
        fixture.get_json(&fixture.ann, "/users/orchard/list")["results"][0]["folder"].clone();
    assert_eq!(folder["name"], "/Growers");
    fixture.execute_sql(
        "insert into team (id, org_id, name, folder, created)
         select 'growers', 'Orchard1234', 'Growers', id, 0 from node where title = 'Growers'",
        &[],
    );
}

fn get_status(fixture: &ListingFixture, account: &TestAccount, path: &str) -> u16 {
    fixture.request(account, "GET", path, &Value::Null).status
}

#[test]
fn restricted_team_folder_is_neither_listed_nor_counted() {
    let fixture = ListingFixture::new();
    let (ann, ben, cid) = (&fixture.ann, &fixture.ben, &fixture.cid);
    create_orchard_org(&fixture);
    let names_and_count = |account| {
        let root = fixture.get_json(account, "/users/orchard/list");
        (entry_names(&root), root["count"].as_u64().unwrap())
    };
    let both = (vec!["/Growers".to_owned(), "/Shed".to_owned()], 2);
    assert_eq!(names_and_count(ann), both);
    assert_eq!(names_and_count(ben), (vec!["/Shed".to_owned()], 1));
    assert_eq!(get_status(&fixture, ben, "/users/orchard/list/Growers"), 404);
    assert_eq!(get_status(&fixture, cid, "/users/orchard/list"), 404);

    // The count of another parent folder excludes it too.
    fixture.execute_sql(
        "update node set parent = (select id from node where title = 'Shed')
         where title = 'Growers'",
        &[],
    );
    let count = |account| {
        let root = fixture.get_json(account, "/users/orchard/list");
        root["results"][0]["folder"]["folder_count"].clone()
    };
    assert_eq!((count(ann), count(ben)), (json!(1), json!(0)));
    assert_eq!(entry_names(&fixture.get_json(ben, "/users/orchard/list/Shed")), ["Tools"]);
    assert_eq!(
        entry_names(&fixture.get_json(ann, "/users/orchard/list/Shed")),
        ["/Shed/Growers", "Tools"]
    );

    // Members of the team and recipients of an access entry see it.
    let membership =
        "insert into team_member (team_id, user_id, created) values ('growers', ?1, 0)";
    fixture.execute_sql(membership, &[ben.id.as_str()]);
    assert_eq!(
        entry_names(&fixture.get_json(ben, "/users/orchard/list/Shed")),
        ["/Shed/Growers", "Tools"]
    );
    assert_eq!(count(ben), 1);
    fixture.execute_sql("delete from team_member", &[]);
    fixture.execute_sql(
        "insert into access_entry (id, node, type, mode, user_id, created, created_by)
         select 'e', id, 'user', 'r', ?1, 0, '' from node where title = 'Growers'",
        &[ben.id.as_str()],
    );
    let shed = fixture.get_json(ben, "/users/orchard/list/Shed");
    assert_eq!(entry_names(&shed), ["/Shed/Growers", "Tools"]);
    assert_eq!(shed["results"][0]["folder"]["mode"], "r");
    assert_eq!(shed["results"][1]["document"]["mode"], "w");
}

#[test]
fn trash_of_an_organization_hides_nodes_of_other_teams() {
    let fixture = ListingFixture::new();
    let (ann, ben, cid) = (&fixture.ann, &fixture.ben, &fixture.cid);
    create_orchard_org(&fixture);
    let deep = fixture.create_document(ann, "orchard", "/Growers/Deep", "Roots");
    let tools = fixture.create_document(ann, "orchard", "/Shed", "Rake");
    for path in [deep, tools] {
        assert_eq!(fixture.request(ann, "DELETE", &path, &Value::Null).status, 204);
    }
    let names_and_count = |account| {
        let trash = fixture.get_json(account, "/users/orchard/trash");
        (entry_names(&trash), trash["count"].as_u64().unwrap())
    };
    assert_eq!(names_and_count(ann), (vec!["Rake".to_owned(), "Roots".to_owned()], 2));
    assert_eq!(names_and_count(ben), (vec!["Rake".to_owned()], 1));
    assert_eq!(get_status(&fixture, cid, "/users/orchard/trash"), 404);
}

#[test]
fn shared_folder_is_listed_but_not_its_surroundings() {
    let fixture = ListingFixture::new();
    let (ann, ben) = (&fixture.ann, &fixture.ben);
    fixture.create_document(ann, "me", "/Sales/2026", "Plan");
    let forecast = fixture.create_document(ann, "me", "/Sales", "Forecast");
    fixture.create_document(ann, "me", "/", "Private");
    let sales = fixture.ensure_folder(&ann.id, "/Sales");
    let path = format!("/users/{}/list", ann.id);
    let check_looks_absent = |path: &str| {
        let responses = [path, "/users/nobody/list"].map(|path| {
            let response = fixture.request(ben, "GET", path, &Value::Null);
            (response.status, response.text)
        });
        assert_eq!(responses[0], responses[1], "{path}");
        assert_eq!(responses[0].0, 404);
    };
    check_looks_absent(&path);
    check_looks_absent(&format!("{path}/Sales"));
    check_looks_absent(&format!("{path}/Nothing"));

    let share = "insert into access_entry (id, node, type, mode, user_id, created, created_by)
                 values (?1, ?2, 'user', ?3, ?4, 0, '')";
    fixture.execute_sql(share, &["a", &sales, "r", ben.id.as_str()]);
    check_looks_absent(&path);
    let listing = fixture.get_json(ben, &format!("{path}/Sales"));
    assert_eq!(entry_names(&listing), ["/Sales/2026", "Forecast"]);
    assert_eq!(listing["results"][0]["folder"]["mode"], "r");
    assert_eq!(listing["results"][1]["document"]["mode"], "r");
    assert_eq!(entry_names(&fixture.get_json(ben, &format!("{path}/Sales/2026"))), ["Plan"]);
    // A direct entry may grant more.
    fixture.execute_sql(share, &["b", forecast.rsplit('/').next().unwrap(), "w", ben.id.as_str()]);
    let listing = fixture.get_json(ben, &format!("{path}/Sales"));
    assert_eq!(listing["results"][0]["folder"]["mode"], "r");
    assert_eq!(listing["results"][1]["document"]["mode"], "w");
    fixture.execute_sql("update access_entry set expires = 1", &[]);
    check_looks_absent(&format!("{path}/Sales"));
}

#[test]
fn share_link_lists_its_folder_for_guests() {
    let fixture = ListingFixture::new();
    let ann = &fixture.ann;
    fixture.create_document(ann, "me", "/Sales", "Plan");
    let folder = fixture.ensure_folder(&ann.id, "/Sales");
    let hash = crypto::sha256(b"the-token");
    fixture
        .server
        .app
        .db
        .write(move |tx| {
            tx.execute(
                "insert into access_entry (id, node, type, mode, token_hash, created, created_by)
                 values ('l', ?1, 'link', 'r', ?2, 0, '')",
                (&folder, &hash),
            )
        })
        .unwrap();
    let list_as_guest = |path: &str| {
        let path = format!("/api/v1/users/{}/list{path}", ann.id);
        fixture.server.send("GET", &path, &[], "")
    };
    assert_eq!(entry_names(&list_as_guest("/Sales?share=the-token").json()), ["Plan"]);
    assert_eq!(list_as_guest("?share=the-token").status, 404);
    assert_eq!(list_as_guest("/Sales?share=another").status, 404);
    for path in ["/Sales", "", "/Nothing", "/a%2F%2Fb"] {
        assert_eq!(list_as_guest(path).status, 401, "{path}");
    }
}
