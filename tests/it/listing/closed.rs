//! Tests of restricted entries: organizations, the folders of their teams, shared folders,
//! strangers.

use chartroom_platform::crypto;
use serde_json::Value;
use serde_json::json;

use super::Speaker;
use super::World;
use super::names;

/// Creates an organization with Ann as admin and Ben as member. Its team Growers has a folder that
/// is closed to Ben.
fn orchard(world: &World) {
    let (ann, ben) = (world.ann.id.as_str(), world.ben.id.as_str());
    world.sql("insert into account (id, type, created) values ('Orchard1234', 'org', 0)", &[]);
    world.sql(
        "insert into org (id, slug, name, plan, created)
         values ('Orchard1234', 'orchard', 'Orchard', 'team', 0)",
        &[],
    );
    world.sql(
        "insert into member (org_id, user_id, role, created)
         values ('Orchard1234', ?1, 'admin', 0), ('Orchard1234', ?2, 'member', 0)",
        &[ann, ben],
    );
    world.document(&world.ann, "orchard", "/Growers", "Secret");
    world.document(&world.ann, "orchard", "/Shed", "Tools");
    let folder = world.get(&world.ann, "/users/orchard/list")["results"][0]["folder"].clone();
    assert_eq!(folder["name"], "/Growers");
    world.sql(
        "insert into team (id, org_id, name, folder, created)
         select 'growers', 'Orchard1234', 'Growers', id, 0 from node where title = 'Growers'",
        &[],
    );
}

fn status(world: &World, who: &Speaker, path: &str) -> u16 {
    world.ask(who, "GET", path, &Value::Null).status
}

#[test]
fn a_closed_team_folder_is_neither_listed_nor_counted() {
    let world = World::new();
    let (ann, ben, cid) = (&world.ann, &world.ben, &world.cid);
    orchard(&world);
    let seen = |who| {
        let root = world.get(who, "/users/orchard/list");
        (names(&root), root["count"].as_u64().unwrap())
    };
    let both = (vec!["/Growers".to_owned(), "/Shed".to_owned()], 2);
    assert_eq!(seen(ann), both);
    assert_eq!(seen(ben), (vec!["/Shed".to_owned()], 1));
    assert_eq!(status(&world, ben, "/users/orchard/list/Growers"), 404);
    assert_eq!(status(&world, cid, "/users/orchard/list"), 404);

    // The count of another parent folder excludes it too.
    world.sql(
        "update node set parent = (select id from node where title = 'Shed')
         where title = 'Growers'",
        &[],
    );
    let count = |who| {
        let root = world.get(who, "/users/orchard/list");
        root["results"][0]["folder"]["folder_count"].clone()
    };
    assert_eq!((count(ann), count(ben)), (json!(1), json!(0)));
    assert_eq!(names(&world.get(ben, "/users/orchard/list/Shed")), ["Tools"]);
    assert_eq!(names(&world.get(ann, "/users/orchard/list/Shed")), ["/Shed/Growers", "Tools"]);

    // Members of the team and recipients of an access entry see it.
    let membership =
        "insert into team_member (team_id, user_id, created) values ('growers', ?1, 0)";
    world.sql(membership, &[ben.id.as_str()]);
    assert_eq!(names(&world.get(ben, "/users/orchard/list/Shed")), ["/Shed/Growers", "Tools"]);
    assert_eq!(count(ben), 1);
    world.sql("delete from team_member", &[]);
    world.sql(
        "insert into access_entry (id, node, type, mode, user_id, created, created_by)
         select 'e', id, 'user', 'r', ?1, 0, '' from node where title = 'Growers'",
        &[ben.id.as_str()],
    );
    let shed = world.get(ben, "/users/orchard/list/Shed");
    assert_eq!(names(&shed), ["/Shed/Growers", "Tools"]);
    assert_eq!(shed["results"][0]["folder"]["mode"], "r");
    assert_eq!(shed["results"][1]["document"]["mode"], "w");
}

#[test]
fn the_trash_of_an_organization_keeps_teams_apart() {
    let world = World::new();
    let (ann, ben, cid) = (&world.ann, &world.ben, &world.cid);
    orchard(&world);
    let deep = world.document(ann, "orchard", "/Growers/Deep", "Roots");
    let tools = world.document(ann, "orchard", "/Shed", "Rake");
    for path in [deep, tools] {
        assert_eq!(world.ask(ann, "DELETE", &path, &Value::Null).status, 204);
    }
    let seen = |who| {
        let trash = world.get(who, "/users/orchard/trash");
        (names(&trash), trash["count"].as_u64().unwrap())
    };
    assert_eq!(seen(ann), (vec!["Rake".to_owned(), "Roots".to_owned()], 2));
    assert_eq!(seen(ben), (vec!["Rake".to_owned()], 1));
    assert_eq!(status(&world, cid, "/users/orchard/trash"), 404);
}

#[test]
fn a_shared_folder_is_listed_and_nothing_around_it() {
    let world = World::new();
    let (ann, ben) = (&world.ann, &world.ben);
    world.document(ann, "me", "/Sales/2026", "Plan");
    let open = world.document(ann, "me", "/Sales", "Forecast");
    world.document(ann, "me", "/", "Private");
    let sales = world.folder(&ann.id, "/Sales");
    let path = format!("/users/{}/list", ann.id);
    let same = |path: &str| {
        let answers = [path, "/users/nobody/list"].map(|it| {
            let answer = world.ask(ben, "GET", it, &Value::Null);
            (answer.status, answer.text)
        });
        assert_eq!(answers[0], answers[1], "{path}");
        assert_eq!(answers[0].0, 404);
    };
    same(&path);
    same(&format!("{path}/Sales"));
    same(&format!("{path}/Nothing"));

    let share = "insert into access_entry (id, node, type, mode, user_id, created, created_by)
                 values (?1, ?2, 'user', ?3, ?4, 0, '')";
    world.sql(share, &["a", &sales, "r", ben.id.as_str()]);
    same(&path);
    let listing = world.get(ben, &format!("{path}/Sales"));
    assert_eq!(names(&listing), ["/Sales/2026", "Forecast"]);
    assert_eq!(listing["results"][0]["folder"]["mode"], "r");
    assert_eq!(listing["results"][1]["document"]["mode"], "r");
    assert_eq!(names(&world.get(ben, &format!("{path}/Sales/2026"))), ["Plan"]);
    // A direct entry may grant more.
    world.sql(share, &["b", open.rsplit('/').next().unwrap(), "w", ben.id.as_str()]);
    let listing = world.get(ben, &format!("{path}/Sales"));
    assert_eq!(listing["results"][0]["folder"]["mode"], "r");
    assert_eq!(listing["results"][1]["document"]["mode"], "w");
    world.sql("update access_entry set expires = 1", &[]);
    same(&format!("{path}/Sales"));
}

#[test]
fn a_share_link_lists_its_folder_without_an_account() {
    let world = World::new();
    let ann = &world.ann;
    world.document(ann, "me", "/Sales", "Plan");
    let folder = world.folder(&ann.id, "/Sales");
    let hash = crypto::sha256(b"the-token");
    world
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
    let get = |path: &str| {
        let path = format!("/api/v1/users/{}/list{path}", ann.id);
        world.server.send("GET", &path, &[], "")
    };
    assert_eq!(names(&get("/Sales?share=the-token").json()), ["Plan"]);
    assert_eq!(get("?share=the-token").status, 404);
    assert_eq!(get("/Sales?share=another").status, 404);
    for path in ["/Sales", "", "/Nothing", "/a%2F%2Fb"] {
        assert_eq!(get(path).status, 401, "{path}");
    }
}
