//! The page about user provisioning.

use chartroom::features::orgs::Plan;
use chartroom::features::orgs::Seats;
use serde_json::Value;

use super::PagesFixture;
use super::assert_contains;

#[test]
fn admins_see_the_address_of_the_service() {
    let fixture = PagesFixture::new();
    let page = fixture.page("/scim");
    let address = "http://127.0.0.1:8080/sso/scim/v2/orgs/acme";
    assert_contains(
        &page,
        &[
            &format!("<code data-copy=\"Base address\">{address}</code>"),
            "They choose a password with “Forgot your password?”",
            "Choose the product for its exact steps.",
            "<a href=\"/orgs/acme/domains\">Domains</a>",
            "<a href=\"/orgs/acme/sso\">single sign-on</a>",
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

/// Name in addresses and label of each provider, and texts of its steps.
const PROVIDERS: [(&str, &str, &[&str]); 6] = [
    (
        "okta",
        "Okta",
        &[
            "<b>General</b>",
            "<b>App Settings</b>",
            "<b>Unique identifier field for users</b>",
            "<b>Push New Users</b>",
            "<b>Push Profile Updates</b>",
            "<b>HTTP Header</b>",
            "<b>To App</b>",
            "<b>Deactivate Users</b>",
            "user.getInternalProperty(\"id\")",
        ],
    ),
    (
        "entra",
        "Microsoft Entra ID",
        &[
            "<b>Automatic</b>",
            "<b>Tenant URL</b>",
            "<b>Secret Token</b>",
            "<b>Test Connection</b>",
            "<b>Provision Microsoft Entra ID Groups</b>",
            "<code>user.objectid</code>",
            "<b>Provisioning Status</b>",
        ],
    ),
    (
        "onelogin",
        "OneLogin",
        &[
            "<b>SCIM Provisioner with SAML (SCIM v2 Enterprise)</b>",
            "<b>SCIM Base URL</b>",
            "<b>SCIM Bearer Token</b>",
            "<code>\"externalId\": \"{$user.id}\"</code>",
            "<b>API Connection</b>",
            "<b>Enable provisioning</b>",
            "<b>OneLogin ID</b>",
        ],
    ),
    ("google", "Google Workspace", &["applications of its catalog"]),
    ("keycloak", "Keycloak", &["only with an extension"]),
    ("adfs", "AD FS", &["AD FS has no SCIM."]),
];

#[test]
fn each_provider_has_its_steps_or_the_way_without_them() {
    let fixture = PagesFixture::new();
    for (name, label, texts) in PROVIDERS {
        let page = fixture.page(&format!("/scim?provider={name}")).replace("&#34;", "\"");
        let href = format!("href=\"/orgs/acme/scim?provider={name}#steps\"");
        let link = format!("{href} aria-current=\"true\">{label}</a>");
        assert_contains(&page, &[&link, &format!("<h3>{label}</h3>")]);
        assert_contains(&page, texts);
        assert_eq!(page.matches("/scim?provider=").count(), 6, "{name}");
        let has_no_scim = ["google", "keycloak", "adfs"].contains(&name);
        let by_hand = "remove them on the page <a href=\"/orgs/acme\">Members</a>";
        assert_eq!(page.contains(by_hand), has_no_scim, "{name}");
        let sign_on =
            format!("<a href=\"/orgs/acme/sso?provider={name}#steps\">single sign-on</a>");
        // The application of OneLogin can be used for both.
        assert_eq!(page.contains(&sign_on), has_no_scim || name == "onelogin", "{name}");
    }
}
