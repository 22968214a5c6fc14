//! Tests of the people of an organization: members, managed accounts, invites and seats.

mod invites;
mod managed;
mod members;
mod model;
mod removal;
mod seats;

use chartroom::features::orgs;
use chartroom::features::orgs::Plan;
use chartroom::features::orgs::Seats;
use chartroom_platform::config::Config;
use chartroom_platform::id::AccountId;
use serde_json::Value;
use serde_json::json;

use crate::teams::OrgFixture;
use crate::test_server::Response;

/// Starts a server with the organization `acme` and its users, see [`OrgFixture::new`]. It has the
/// plan `enterprise` and the verified domain `acme.example`.
pub fn start_with_verified_domain() -> OrgFixture {
    start_with_config(Config::default())
}

/// Starts a server like [`start_with_verified_domain`] with other settings.
pub fn start_with_config(config: Config) -> OrgFixture {
    let fixture = OrgFixture::with_config(config);
    set_plan(&fixture, Seats::Unlimited);
    fixture.server.execute_sql(
        "insert into domain (org_id, name, status, record_value, created)
         select id, 'acme.example', 'verified', 'x', 0 from org",
    );
    fixture
}

/// Sets the plan `enterprise` and the seats.
pub fn set_plan(fixture: &OrgFixture, seats: Seats) {
    let id = fixture.org.id.clone();
    let plan = Some(Plan::Enterprise);
    fixture.server.app.db.write(move |tx| orgs::set_plan(tx, &id, plan, Some(seats))).unwrap();
}

/// Creates a managed account as Ann, after the check, and returns the response.
pub fn create_managed(fixture: &OrgFixture, name: &str) -> Response {
    let email = format!("{}@acme.example", name.to_lowercase());
    let mut body = json!({ "name": name, "email": email });
    let checked = fixture.request_org("Ann", "POST", "/users/check", body.clone());
    if checked.status != 200 {
        return checked;
    }
    body["confirmation"] = checked.json()["confirmation"].clone();
    fixture.request_org("Ann", "POST", "/users", body)
}

/// Returns the values of a field of all entries.
fn field_values<'a>(entries: &'a Value, field: &str) -> Vec<&'a str> {
    entries.as_array().unwrap().iter().map(|entry| entry[field].as_str().unwrap()).collect()
}

/// Returns the names of the members, as Ann sees them.
fn member_names(fixture: &OrgFixture) -> Vec<String> {
    let members = fixture.request_org("Ann", "GET", "/members", Value::Null).json();
    field_values(&members["members"], "name").into_iter().map(str::to_owned).collect()
}

/// Returns an `Authorization` header with a new API token of an account.
pub fn new_token(fixture: &OrgFixture, id: &str) -> String {
    fixture.server.create_bearer_token(&AccountId::from_text(id))
}
