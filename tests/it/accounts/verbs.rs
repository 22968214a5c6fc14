//! `chartroom user …` beside a running server.

use std::process::Output;

use serde_json::json;

use crate::world;
use crate::world::World;
use crate::world::json_of;

/// The exit code and what was said.
fn refused(output: &Output) -> (Option<i32>, String) {
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn users_are_made_shown_and_changed() {
    let world = World::new();
    let made = world.json(&["user", "create", "--email", "dora@example.org", "--name", "Dora"]);
    assert_eq!((&made["email"], &made["username"]), (&json!("dora@example.org"), &json!("dora")));
    let id = made["id"].as_str().unwrap();
    for who in [id, "dora", "DORA@example.org"] {
        assert_eq!(world.json(&["user", "show", who])["id"], made["id"], "{who}");
    }
    let listed = world.json(&["user", "list"]);
    let names: Vec<_> = listed.as_array().unwrap().iter().map(|it| &it["name"]).collect();
    assert_eq!(names, ["Ann", "Ben", "Cid", "Dora"]);

    let change =
        ["user", "edit", "dora", "--name", "Dora D", "--username", "dd", "--operator", "true"];
    let changed = world.json(&change);
    assert_eq!((&changed["name"], &changed["operator"]), (&json!("Dora D"), &json!(true)));
    let (code, text) = refused(&world.run(&["user", "show", "dora"]));
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("no such user"), "{text}");
    let (code, text) = refused(&world.run(&["user", "edit", "dd", "--email", "ann@example.org"]));
    assert_eq!(code, Some(1));
    assert!(text.contains("email: ann@example.org already has an account"), "{text}");
    let (code, _) = refused(&world.run(&["user", "create", "--name", "X"]));
    assert_eq!(code, Some(2));
}

#[test]
fn a_running_server_heeds_the_commands_at_once() {
    let world = World::new();
    let user = "/api/v1/user";
    world.json(&["user", "disable", "ann"]);
    assert_eq!(world.ann().get(user).status, 401);
    world.json(&["user", "enable", "ann"]);
    assert_eq!(world.ann().get(user).status, 200);

    let session = "/api/v1/session";
    let with = |password: &str| {
        let body = json!({ "email": "ann@example.org", "password": password });
        world.nobody().post(session, body).status
    };
    assert_eq!(with(world::PASSWORD), 200);
    let set = ["user", "password", "ann", "--password-stdin"];
    let short = world::run(world.path(), &[], &set, "short\n");
    let (code, text) = refused(&short);
    assert_eq!(code, Some(1));
    assert!(text.contains("password: must have at least 10 characters"), "{text}");
    json_of(&world::run(world.path(), &[], &set, "a new pass phrase\n"));
    assert_eq!((with(world::PASSWORD), with("a new pass phrase")), (401, 200));
}

#[test]
fn a_user_is_removed_when_nothing_is_left_of_his() {
    let world = World::new();
    world.ann().post("/api/v1/create-document", json!({ "widget": "bar" })).expect(200);
    let (code, text) = refused(&world.run(&["user", "delete", "ann"]));
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("ann@example.org still owns "), "{text}");
    assert_eq!(world.ann().get("/api/v1/user").status, 200);

    world.json(&["user", "delete", "ben"]);
    assert_eq!(world.ben().get("/api/v1/user").status, 401);
}

#[test]
fn a_server_without_users_offers_a_link_until_there_is_one() {
    let world = World::empty();
    let link = std::fs::read_to_string(world.path().join("setup-link.txt")).unwrap();
    let path = link.trim().strip_prefix(world.base.as_str()).unwrap();
    let page = world.nobody().get(path).expect(200);
    assert!(page.text().contains("Set up this server"));
    let create = ["user", "create", "--email", "eve@example.org", "--name", "Eve", "--operator"];
    assert_eq!(world.json(&create)["operator"], true);
    assert_eq!(world.nobody().get(path).status, 404);
}
