//! The page about user provisioning.

use chartroom::features::orgs::Plan;
use chartroom::features::orgs::Seats;
use serde_json::Value;

use super::PagesFixture;
use super::assert_contains;

#[test]
fn admins_see_the_address_and_the_steps_for_each_provider() {
    let fixture = PagesFixture::new();
    let page = fixture.page("/scim");
    let address = "http://127.0.0.1:8080/sso/scim/v2/orgs/acme";
    assert_contains(
        &page,
        &[
            &format!("<code data-copy=\"Base address\">{address}</code>"),
            "They choose a password with “Forgot your password?”",
            "<code>&#34;externalId&#34;: &#34;{$user.id}&#34;</code>",
            "<a href=\"/orgs/acme/domains\">Domains</a>",
            "<a href=\"/orgs/acme/sso\">single sign-on</a>",
            "<code>user.objectid</code>",
            "<b>OneLogin ID</b>",
        ],
    );
    // The address on the page works.
    let path = address.strip_prefix("http://127.0.0.1:8080").unwrap();
    let checked = fixture.orgs.request("Ann", "GET", path, Value::Null);
    assert_eq!((checked.status, checked.text.as_str()), (200, "Ok"));
    for name in ["Ben", "Bea"] {
        let refused = fixture.orgs.request(name, "GET", "/orgs/acme/scim", Value::Null);
        assert_eq!(refused.status, 403, "{name}");
        assert!(!refused.body.contains(address), "{name}");
    }
    fixture.set_plan(Plan::Team, Seats::Unlimited);
    let refused = fixture.orgs.request("Ann", "GET", "/orgs/acme/scim", Value::Null);
    assert_eq!(refused.status, 403);
    assert_contains(&refused.body, &["The plan of the organization has no managed accounts"]);
}
