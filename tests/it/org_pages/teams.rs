//! The pages of the teams.

use serde_json::Value;
use serde_json::json;

use super::PagesFixture;
use super::assert_contains;

/// Returns the only team, with its members.
fn read_team(fixture: &PagesFixture) -> Value {
    let teams = fixture.api("GET", "/teams", Value::Null);
    let id = teams["teams"][0]["id"].as_str().unwrap().to_owned();
    fixture.api("GET", &format!("/team/{id}"), Value::Null)
}

#[test]
fn a_team_is_created_changed_and_deleted() {
    let fixture = PagesFixture::new();
    let (ben, cid) = (fixture.orgs.user_id("Ben"), fixture.orgs.user_id("Cid"));
    let fields = [("name", "Sales & More"), ("member", ben), ("member", cid)];
    let page = fixture.submit_ok("/teams", &fields, "The team and its folder are created.");
    assert_contains(&page, &["Sales &#38; More", "2 members", "/Sales%20%26%20More"]);
    let team = read_team(&fixture);
    assert_eq!(team["member_count"], 2);
    let path = format!("/teams/{}", team["id"].as_str().unwrap());

    let taken = fixture.submit("Ann", "/teams", &[("name", "Sales & More"), ("member", ben)]);
    assert_eq!(taken.status, 409, "{}", taken.text);
    assert_contains(&taken.body, &["id=\"name-error\">A team named", "already exists."]);
    let checked = format!("value=\"{ben}\" checked");
    assert_contains(&taken.body, &[&checked]);
    let empty = fixture.submit("Ann", &path, &[("name", " ")]);
    assert_eq!(empty.status, 400, "{}", empty.text);
    assert_contains(&empty.body, &["Name must not be empty."]);
    assert_eq!(read_team(&fixture)["member_count"], 2);

    assert_contains(&fixture.page(&path), &[&checked, "The folder keeps its name."]);
    let fields = [("name", "Trade"), ("member", ben)];
    fixture.submit_ok(&path, &fields, "The changes to the team are saved.");
    let team = read_team(&fixture);
    assert_eq!((&team["name"], &team["members"][0]["name"]), (&json!("Trade"), &json!("Ben")));
    assert_eq!(team["member_count"], 1);
}

#[test]
fn a_deletion_names_people_and_documents() {
    let fixture = PagesFixture::new();
    let ben = fixture.orgs.user_id("Ben");
    let body = json!({ "name": "Sales", "members": [ben] });
    let team = fixture.api("POST", "/teams", body);
    let path = format!("/teams/{}", team["id"].as_str().unwrap());
    for folder in ["/Sales", "/Sales/Deep", "/Other"] {
        let body = json!({ "widget": "bar", "owner": fixture.orgs.org.id, "folder": folder });
        let created = fixture.orgs.request("Ann", "POST", "/api/v1/create-document", body);
        assert_eq!(created.status, 200, "{}", created.text);
    }
    let page = fixture.page(&format!("{path}/delete"));
    assert_contains(
        &page,
        &[
            "Delete the team Sales?",
            "Removes 1 person from the team. They stay members of The acme.",
            "The folder /Sales stays with its 2 documents, and all members of The acme can then \
             open it.",
        ],
    );
    assert_eq!(fixture.get("Ben", &format!("{path}/delete")).status, 403);
    let page = fixture.submit_ok(&format!("{path}/delete"), &[], "The team is deleted.");
    assert_contains(&page, &["There is no team yet."]);
    assert_eq!(fixture.api("GET", "/teams", Value::Null)["teams"], json!([]));
    assert_eq!(fixture.list_roles().len(), 4);
}

#[test]
fn members_read_teams_without_forms() {
    let fixture = PagesFixture::new();
    let ben = fixture.orgs.user_id("Ben");
    let body = json!({ "name": "Sales", "members": [ben] });
    let team = fixture.api("POST", "/teams", body);
    let path = format!("/teams/{}", team["id"].as_str().unwrap());
    for (path, text) in [("/teams", "1 member<"), (path.as_str(), "ben@example.org")] {
        let page = fixture.get("Cid", path).body;
        assert_contains(&page, &["Sales", text]);
        let main = page.split_once("<main").unwrap().1;
        assert!(!main.contains("<form") && !main.contains("/delete"), "{main}");
    }
    assert_eq!(fixture.get("Dan", &path).status, 404);
}

#[test]
fn an_old_form_changes_only_the_people_who_were_selected_differently() {
    let fixture = PagesFixture::new();
    let [ann, ben, cid] = ["Ann", "Ben", "Cid"].map(|name| fixture.orgs.user_id(name));
    let team = fixture.api("POST", "/teams", json!({ "name": "Sales", "members": [ann, ben] }));
    let id = team["id"].as_str().unwrap();
    let shown = [("shown", ""), ("shown", ann), ("shown", ben)];
    let page = fixture.page(&format!("/teams/{id}"));
    for (name, value) in shown {
        assert_contains(&page, &[&format!("name=\"{name}\" value=\"{value}\"")]);
    }
    // Meanwhile somebody adds Cid and removes Ann.
    fixture.api("PUT", &format!("/team/{id}"), json!({ "members": [ben, cid] }));
    let fields = [shown.as_slice(), &[("name", "Trade"), ("member", ann)]].concat();
    fixture.submit_ok(&format!("/teams/{id}"), &fields, "The changes to the team are saved.");
    let team = read_team(&fixture);
    assert_eq!(team["name"], "Trade");
    assert_eq!(team["members"].as_array().unwrap().len(), 1, "{team}");
    assert_eq!(team["members"][0]["name"], "Cid");
}
