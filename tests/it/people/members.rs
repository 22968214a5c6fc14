//! Listing and removing members, and what a removal takes away.

use serde_json::Value;
use serde_json::json;

use super::create_managed;
use super::field_values;
use super::member_names;
use super::start_with_verified_domain;
use crate::teams::OrgFixture;

#[test]
fn members_are_filtered_and_paged_and_omitted_when_nothing_matches() {
    let fixture = start_with_verified_domain();
    assert_eq!(create_managed(&fixture, "Mána").status, 200);
    let list = |name: &str, query: &str| {
        fixture.request_org(name, "GET", &format!("/members{query}"), Value::Null)
    };

    let all = list("Ben", "").json();
    assert_eq!(field_values(&all["members"], "name"), ["Ann", "Ben", "Cid", "Bea", "Mána"]);
    assert!(all.get("org_subscription").is_none(), "only admins see the subscription: {all}");
    let managed: Vec<bool> = all["members"]
        .as_array()
        .unwrap()
        .iter()
        .map(|member| member["managed"].as_bool().unwrap())
        .collect();
    assert_eq!(managed, [false, false, false, false, true]);
    let ann = &all["members"][0];
    assert_eq!(ann["role"], "admin");
    assert_eq!(ann["email"], "ann@example.org");
    assert!(ann["avatar_url"].as_str().unwrap().ends_with("/avatar.svg"), "{ann}");

    let admins = list("Ann", "?filter_role=admin").json();
    assert_eq!(field_values(&admins["members"], "name"), ["Ann"]);
    assert_eq!(admins["org_subscription"]["current_member_count"], 5);
    // Without regard to accents, in name or address.
    assert_eq!(field_values(&list("Ann", "?q=mana").json()["members"], "name"), ["Mána"]);
    assert_eq!(field_values(&list("Ann", "?q=BEN%20example").json()["members"], "name"), ["Ben"]);
    let none = list("Ann", "?q=nobody");
    assert_eq!(none.status, 200);
    assert!(none.json().get("members").is_none(), "{}", none.text);
    let wrong = list("Ann", "?filter_role=boss");
    assert_eq!(wrong.status, 400);
    assert!(wrong.text.starts_with("filter_role: "), "{}", wrong.text);

    let page = list("Ann", "?limit=2&offset=2&q=e");
    assert_eq!(field_values(&page.json()["members"], "name"), ["Cid", "Bea"]);
    let links = page.headers("link");
    assert!(links.iter().any(|link| link.contains("offset=4") && link.ends_with("rel=\"next\"")));
    assert!(links.iter().any(|link| link.contains("offset=0") && link.ends_with("rel=\"prev\"")));
    assert!(links.iter().all(|link| link.contains("q=e")), "{links:?}");
}

#[test]
fn members_are_removed_all_or_none() {
    let fixture = start_with_verified_domain();
    let managed = create_managed(&fixture, "Man").json()["id"].as_str().unwrap().to_owned();
    let remove = |name: &str, query: &str| {
        fixture.request_org(name, "POST", &format!("/members/remove{query}"), Value::Null)
    };
    let [ann, ben, cid] = ["Ann", "Ben", "Cid"].map(|name| fixture.user_id(name).to_owned());

    assert_eq!(remove("Ben", &format!("?id={cid}")).status, 403);
    assert_eq!(remove("Dan", &format!("?id={cid}")).status, 404);
    assert_eq!(remove("Ann", "").status, 400);
    let with_managed = remove("Ann", &format!("?id={ben}&id={managed}"));
    assert_eq!(with_managed.status, 400);
    assert!(with_managed.text.starts_with("id[1]: is a managed account"), "{}", with_managed.text);
    let with_stranger = remove("Ann", &format!("?id={ben}&id={}", fixture.user_id("Dan")));
    assert_eq!(with_stranger.status, 400);
    assert!(with_stranger.text.starts_with("id[1]: "), "{}", with_stranger.text);
    assert_eq!(remove("Ann", &format!("?id={ben}&id={ann}")).status, 409, "the last admin");
    assert_eq!(member_names(&fixture), ["Ann", "Ben", "Cid", "Bea", "Man"]);

    let form = format!("id={ben}&id={cid}&id={ben}");
    let headers = [
        ("authorization", fixture.authorization("Ann")),
        ("content-type", "application/x-www-form-urlencoded"),
    ];
    let removed = fixture.server.send("POST", "/api/v1/orgs/acme/members/remove", &headers, &form);
    assert_eq!(removed.status, 204, "{}", removed.text);
    assert_eq!(member_names(&fixture), ["Ann", "Bea", "Man"]);
}

/// Creates a document in a folder of the organization as Ann and returns its id.
fn create_document(fixture: &OrgFixture, folder: &str) -> String {
    let body = json!({ "widget": "bar", "owner": fixture.org.id, "folder": folder });
    let created = fixture.request("Ann", "POST", "/api/v1/create-document", body);
    assert_eq!(created.status, 200, "{}", created.text);
    created.json()["id"].as_str().unwrap().to_owned()
}

#[test]
fn a_removed_member_loses_every_access_at_once_and_the_documents_stay() {
    let fixture = OrgFixture::new();
    let ben = fixture.user_id("Ben").to_owned();
    let org = &fixture.org.id;
    let team = json!({ "name": "Sales", "members": [&ben] });
    let team = fixture.request_org("Ann", "POST", "/teams", team).json();
    let (open, closed) = (create_document(&fixture, "/"), create_document(&fixture, "/Sales"));
    let path = |id: &str| format!("/api/v1/users/{org}/documents/{id}");
    // Ben also has an access entry on the document, so that the membership alone does not decide.
    let share = json!({ "owner": org, "document": open, "user_id": ben, "mode": "w" });
    assert_eq!(fixture.request("Ann", "POST", "/api/v1/share", share).status, 200);
    let token = fixture.request("Ben", "POST", &format!("{}/token", path(&open)), json!({})).json();
    let image = format!("{}.svg?token={}", path(&open), token["token"].as_str().unwrap());
    let cast = json!({ "document_id": closed, "device_name": "Lobby" });
    let cast = fixture.request("Ben", "POST", "/api/v1/cast/sessions", cast);
    assert_eq!(cast.status, 200, "{}", cast.text);
    let check = format!("/api/v1/cast/{}/check", cast.json()["token"].as_str().unwrap());
    let get = |path: &str| fixture.server.send("GET", path, &[], "");
    assert_eq!(get(&image).status, 200);
    assert_eq!(get(&check).json()["valid"], true);
    for id in [&open, &closed] {
        assert_eq!(fixture.request("Ben", "GET", &path(id), Value::Null).status, 200);
    }

    let removed =
        fixture.request_org("Ann", "POST", &format!("/members/remove?id={ben}"), Value::Null);
    assert_eq!(removed.status, 204, "{}", removed.text);

    for id in [&open, &closed] {
        assert_eq!(fixture.request("Ben", "GET", &path(id), Value::Null).status, 404);
        assert_eq!(fixture.request("Ann", "GET", &path(id), Value::Null).status, 200);
    }
    assert_eq!(get(&image).status, 401, "the download token");
    assert_eq!(get(&check).json()["valid"], false, "the cast session");
    let shares = fixture.request("Ben", "GET", "/api/v1/users/me/foreign-documents", Value::Null);
    assert_eq!(shares.json()["count"], 0, "{}", shares.text);
    assert_eq!(fixture.request_org("Ben", "GET", "", Value::Null).status, 404);
    let team_path = format!("/team/{}", team["id"].as_str().unwrap());
    let team = fixture.request_org("Ann", "GET", &team_path, Value::Null).json();
    assert_eq!(team["member_count"], 0);
    let shared = format!("/api/v1/users/{org}/shares");
    let shared = fixture.request("Ann", "GET", &shared, Value::Null).json();
    assert!(!shared.to_string().contains(&ben), "{shared}");

    // A new membership does not bring the shares, the team or the screen back.
    let user = chartroom_platform::id::AccountId::from_text(ben.as_str());
    let role = chartroom::features::orgs::Role::Member;
    crate::orgs::add_member(&fixture.server, &fixture.org, &user, role).unwrap();
    assert_eq!(fixture.request("Ben", "GET", &path(&open), Value::Null).status, 200);
    assert_eq!(fixture.request("Ben", "GET", &path(&closed), Value::Null).status, 404);
    assert_eq!(get(&check).json()["valid"], false);
}
