//! The list of members, the page of a member, removals, and new managed accounts.

use chartroom::features::accounts;
use chartroom::features::accounts::NewUser;
use chartroom::features::orgs;
use chartroom::features::orgs::Plan;
use chartroom::features::orgs::Role;
use chartroom::features::orgs::Seats;
use serde_json::Value;
use serde_json::json;

use super::PagesFixture;
use super::assert_contains;
use super::encode;
use super::hidden_value;

/// Creates a managed account as Ann on the pages. Returns its id.
fn create_managed(fixture: &PagesFixture, name: &str) -> String {
    let email = format!("{}@acme.example", name.to_lowercase());
    let fields = [("name", name), ("email", email.as_str()), ("role", "member")];
    fixture.submit_ok("/members/new", &fields, "The account is created.");
    let users = fixture.api("GET", "/users", Value::Null);
    let users = users["users"].as_array().unwrap();
    let user = users.iter().find(|user| user["name"] == name).unwrap();
    user["id"].as_str().unwrap().to_owned()
}

/// Creates a document. `owner` is an account id.
fn create_document(fixture: &PagesFixture, authorization: &str, owner: &str) {
    let body = json!({ "widget": "bar", "owner": owner, "folder": "/" }).to_string();
    let created =
        fixture.orgs.server.request(authorization, "POST", "/api/v1/create-document", &body);
    assert_eq!(created.status, 200, "{}", created.text);
}

/// Returns the fields with a confirmation.
fn with_confirmation<'a>(
    fields: &[(&'a str, &'a str)],
    confirmation: &'a str,
) -> Vec<(&'a str, &'a str)> {
    [fields, &[("confirmation", confirmation)]].concat()
}

#[test]
fn admins_manage_the_list_and_members_read_it() {
    let fixture = PagesFixture::new();
    fixture.set_plan(Plan::Enterprise, Seats::Limited(9));
    let ben = fixture.orgs.user_id("Ben");
    let page = fixture.page("");
    let checkbox = format!("<input type=\"checkbox\" name=\"id\" value=\"{ben}\"");
    let edit = format!("href=\"/orgs/acme/members/{ben}\"");
    assert_contains(
        &page,
        &[
            "4 of 9 seats taken",
            "ben@example.org",
            "<td role=\"cell\">Brand manager</td>",
            "<span class=\"muted\">(you)</span>",
            &checkbox,
            &edit,
        ],
    );
    let read_only = fixture.get("Ben", "").body;
    assert_contains(&read_only, &["ben@example.org", "<td role=\"cell\">Brand manager</td>"]);
    for absent in ["checkbox", "/members/", "seats taken", "method=\"post\" action=\"/orgs"] {
        assert!(!read_only.contains(absent), "{absent}");
    }
}

#[test]
fn members_are_filtered_by_role_and_text() {
    let fixture = PagesFixture::new();
    let names = |query: &str| {
        let page = fixture.page(query);
        let all = ["Ann", "Ben", "Cid", "Bea"];
        let is_listed = |name: &&str| page.contains(&format!("Select {name}"));
        all.into_iter().filter(is_listed).collect::<Vec<_>>()
    };
    assert_eq!(names("?role=member"), ["Ben", "Cid"]);
    assert_eq!(names("?q=BE"), ["Ben", "Bea"]);
    assert_eq!(names("?q=be&role=brand_manager"), ["Bea"]);
    let none = fixture.page("?q=%22%3E%3Cscript%3E");
    assert_contains(&none, &["No member matches the filter.", "&#34;&#62;&#60;script&#62;"]);
}

#[test]
fn long_lists_have_pages_that_keep_the_filter() {
    let fixture = PagesFixture::new();
    let org = fixture.orgs.org.clone();
    let add_people = move |tx: &chartroom_platform::db::WriteTx<'_>| {
        for number in 0..60 {
            let (name, email) = (format!("Extra {number:02}"), format!("e{number}@example.org"));
            let user = accounts::create_user(tx, &NewUser { email, name, ..NewUser::default() })?;
            orgs::put_member(tx, &org, &user.id, Role::Member)?;
        }
        Ok(())
    };
    fixture.orgs.server.app.db.write(add_people).unwrap();
    let names = |page: &str| -> Vec<String> {
        let rows = page.split("aria-label=\"Select ").skip(1);
        rows.map(|row| row.split('"').next().unwrap().to_owned()).collect()
    };
    let first = fixture.page("?q=extra&role=member");
    assert_contains(&first, &["60 found", "?q=extra&#38;role=member&#38;offset=50\">Next</a>"]);
    let second = fixture.page("?q=extra&role=member&offset=50");
    assert_contains(&second, &["60 found", "&#38;offset=0\">Previous</a>"]);
    assert!(!first.contains(">Previous</a>") && !second.contains(">Next</a>"));
    assert_eq!((names(&first).len(), names(&second).len()), (50, 10));
    let all: std::collections::BTreeSet<String> =
        names(&first).into_iter().chain(names(&second)).collect();
    assert_eq!(all.len(), 60, "no member is on both pages");
}

#[test]
fn an_admin_changes_a_role_but_one_admin_remains() {
    let fixture = PagesFixture::new();
    let (ann, ben) = (fixture.orgs.user_id("Ann"), fixture.orgs.user_id("Ben"));
    let page = fixture.page(&format!("/members/{ben}"));
    assert_contains(&page, &["<option value=\"member\" selected>", "Individual account"]);
    assert!(!page.contains("name=\"email\""), "the person manages the address");
    fixture.submit_ok(
        &format!("/members/{ben}"),
        &[("role", "brand_manager"), ("name", "Ignored")],
        "The changes to the member are saved.",
    );
    assert_eq!(fixture.list_roles()[1], "Ben brand_manager");

    let refused = fixture.submit("Ann", &format!("/members/{ann}"), &[("role", "member")]);
    assert_eq!(refused.status, 409, "{}", refused.text);
    assert_contains(
        &refused.body,
        &["must keep an admin; appoint another admin first.", "value=\"member\" selected"],
    );
    let unknown = fixture.submit("Ann", &format!("/members/{ben}"), &[("role", "boss")]);
    assert_eq!(unknown.status, 400);
    assert_contains(&unknown.body, &["id=\"role-error\">Role must be one of"]);
    assert_eq!(fixture.list_roles()[..2], ["Ann admin", "Ben brand_manager"]);
    let dan = fixture.orgs.user_id("Dan");
    assert_eq!(fixture.get("Ann", &format!("/members/{dan}")).status, 404);
}

#[test]
fn a_removal_names_its_consequences_before_it_happens() {
    let fixture = PagesFixture::new();
    fixture.verify_domain();
    let managed = create_managed(&fixture, "Man");
    let (ben, cid) = (fixture.orgs.user_id("Ben"), fixture.orgs.user_id("Cid"));
    for (name, members) in [("Sales", [ben, cid]), ("Design", [ben, ben]), ("Ops", [cid, cid])] {
        fixture.api("POST", "/teams", json!({ "name": name, "members": members }));
    }
    fixture.api("POST", "/teams", json!({ "name": "Others", "members": [] }));
    let ann = fixture.orgs.authorization("Ann");
    let org = fixture.orgs.org.id.to_string();
    for _ in 0..2 {
        create_document(&fixture, ann, &org);
    }
    let man = fixture
        .orgs
        .server
        .create_bearer_token(&chartroom_platform::id::AccountId::from_text(managed.as_str()));
    create_document(&fixture, &man, &managed);

    let query = encode(&[("id", ben), ("id", cid), ("id", &managed)]);
    let page = fixture.page(&format!("/members/remove?{query}"));
    assert_contains(
        &page,
        &[
            "Remove 3 people?",
            "Removes 3 people (",
            ") from The acme and from 3 teams.",
            "The 2 documents of The acme stay.",
            "The managed account man@acme.example is disabled. Its 1 document moves to a folder \
             that only admins can open.",
        ],
    );
    assert_eq!(fixture.list_roles().len(), 5, "the page changes nothing");

    // All or none.
    let unknown = [("id", ben), ("id", "7")];
    assert_eq!(fixture.submit("Ann", "/members/remove", &unknown).status, 404);
    assert_eq!(fixture.list_roles().len(), 5);
    fixture.submit_ok(
        "/members/remove",
        &[("id", ben), ("id", cid), ("id", &managed)],
        "The selected people are no longer members.",
    );
    assert_eq!(fixture.list_roles(), ["Ann admin", "Bea brand_manager"]);
    assert_eq!(fixture.orgs.server.request(&man, "GET", "/api/v1/user", "").status, 401);
}

#[test]
fn pages_warn_before_the_owner_of_a_token_for_provisioning_stops_to_be_an_admin() {
    let fixture = PagesFixture::new();
    let (ann, bea) = (fixture.orgs.user_id("Ann"), fixture.orgs.user_id("Bea"));
    let removal = format!("/members/remove?id={ann}&id={bea}");
    let (member, text) =
        (format!("/members/{ann}"), "An API token of Ann provisions users (SCIM).");
    let check = |is_warning: bool| {
        assert_eq!(fixture.page(&removal).contains(text), is_warning);
        assert_eq!(fixture.page(&member).contains(text), is_warning);
        assert!(!fixture.page(&format!("/members/{bea}")).contains("provisions users"));
    };
    // Other requests with the token, and refused ones, are no provisioning.
    fixture.orgs.request("Ann", "GET", "/orgs/acme", Value::Null);
    let refused = fixture.orgs.request("Bea", "GET", "/sso/scim/v2/orgs/acme/Users", Value::Null);
    assert_eq!(refused.status, 403);
    check(false);
    let users = fixture.orgs.request("Ann", "GET", "/sso/scim/v2/orgs/acme/Users", Value::Null);
    assert_eq!(users.status, 200, "{}", users.text);
    check(true);
    fixture.orgs.server.execute_sql("update member set scim_used = scim_used - 7 * 86400000");
    check(false);
    fixture.orgs.request("Ann", "GET", "/sso/scim/v2/orgs/acme/Users", Value::Null);
    check(true);
}

#[test]
fn nobody_and_the_last_admin_are_not_removed() {
    let fixture = PagesFixture::new();
    let nobody = fixture.get("Ann", "/members/remove");
    assert_eq!(nobody.header("location"), "/orgs/acme?done=nobody-selected");
    assert_contains(&fixture.page("?done=nobody-selected"), &["Nobody is selected."]);
    let ann = fixture.orgs.user_id("Ann").to_owned();
    let page = fixture.page(&format!("/members/remove?id={ann}"));
    assert_contains(&page, &["Remove Ann?", "You are one of them and lose access"]);
    let refused = fixture.submit("Ann", "/members/remove", &[("id", &ann)]);
    assert_eq!(refused.status, 409, "{}", refused.text);
    assert_contains(&refused.body, &["must keep an admin", "Remove Ann?"]);
    assert_eq!(fixture.list_roles().len(), 4);
}

#[test]
fn a_managed_account_is_created_after_the_price_is_confirmed() {
    let fixture = PagesFixture::new();
    fixture.verify_domain();
    fixture.set_plan(Plan::Enterprise, Seats::Limited(4));
    fixture.set_price(700);
    let fields = [("name", "Man & Co"), ("email", "man@acme.example"), ("role", "admin")];
    let full = fixture.submit("Ann", "/members/new", &fields);
    assert_eq!(full.status, 402, "{}", full.text);
    assert_contains(&full.body, &["0 free seats of 4", "value=\"Man &#38; Co\""]);

    fixture.api("PATCH", "/settings", json!({ "auto_update_seat_count": true }));
    let offer = fixture.submit("Ann", "/members/new", &fields);
    assert_eq!(offer.status, 200, "{}", offer.text);
    assert_contains(
        &offer.body,
        &[
            "<dt>Seats to add</dt><dd>1</dd>",
            "<dt>Seats afterwards</dt><dd>5</dd>",
            "<dt>Price of all seats</dt><dd>35.00 EUR per month</dd>",
            "<dt>Price of the added seats</dt><dd>7.00 EUR per month</dd>",
        ],
    );
    assert_eq!(fixture.list_roles().len(), 4, "the check changes nothing");

    // A new price must be confirmed again.
    fixture.set_price(800);
    let confirmation = hidden_value(&offer.body, "confirmation");
    let outdated =
        fixture.submit("Ann", "/members/new", &with_confirmation(&fields, &confirmation));
    assert_eq!(outdated.status, 409, "{}", outdated.text);
    assert_contains(&outdated.body, &["40.00 EUR per month", "the price have changed."]);
    assert_eq!(fixture.list_roles().len(), 4);

    let confirmation = hidden_value(&outdated.body, "confirmation");
    let notice = "The account is created.";
    fixture.submit_ok("/members/new", &with_confirmation(&fields, &confirmation), notice);
    assert_eq!(fixture.list_roles()[4], "Man & Co admin");
}

#[test]
fn a_managed_account_is_changed_with_errors_at_the_fields() {
    let fixture = PagesFixture::new();
    fixture.verify_domain();
    let wrong = [("name", "<b>"), ("email", "man@elsewhere.example"), ("role", "member")];
    let refused = fixture.submit("Ann", "/members/new", &wrong);
    assert_eq!(refused.status, 400, "{}", refused.text);
    assert_contains(
        &refused.body,
        &[
            "aria-invalid=\"true\" aria-describedby=\"email-error\"",
            "E-mail must be on a domain that the organization has verified.",
            "value=\"&#60;b&#62;\"",
        ],
    );

    let id = create_managed(&fixture, "Man");
    let path = format!("/members/{id}");
    assert_contains(&fixture.page(&path), &["Managed account", "value=\"man@acme.example\""]);
    let fields = [
        ("name", "Mona"),
        ("email", "mona@acme.example"),
        ("role", "brand_manager"),
        ("sso_id", "m-1"),
    ];
    fixture.submit_ok(&path, &fields, "The changes to the member are saved.");
    let user = fixture.api("GET", &format!("/users/{id}"), Value::Null);
    assert_eq!(
        [&user["name"], &user["email"], &user["role"], &user["sso_id"]],
        ["Mona", "mona@acme.example", "brand_manager", "m-1"]
    );
    let taken = create_managed(&fixture, "Nora");
    let taken = fixture.submit(
        "Ann",
        &format!("/members/{taken}"),
        &[&[("name", "Nora")], &fields[1..]].concat(),
    );
    assert_eq!(taken.status, 409, "{}", taken.text);

    // The address stays valid after the domain was removed.
    fixture.orgs.server.execute_sql("delete from domain");
    let role_only = [("name", "Mona"), ("email", "mona@acme.example"), ("role", "member")];
    fixture.submit_ok(&path, &role_only, "The changes to the member are saved.");
    let user = fixture.api("GET", &format!("/users/{id}"), Value::Null);
    assert_eq!((&user["role"], &user["sso_id"]), (&json!("member"), &Value::Null));
}

#[test]
fn the_plan_team_has_no_managed_accounts() {
    let fixture = PagesFixture::new();
    fixture.set_plan(Plan::Team, Seats::Unlimited);
    assert!(!fixture.page("").contains("/members/new"));
    let refused = fixture.get("Ann", "/members/new");
    assert_eq!(refused.status, 403);
    assert_contains(&refused.body, &["Managed accounts need the plan enterprise or education."]);
}
