//! The pages in German, for a browser that asks for it.

use chartroom::features::orgs::Plan;
use chartroom::features::orgs::Seats;
use serde_json::Value;
use serde_json::json;

use super::PagesFixture;
use super::assert_contains;
use super::encode;
use super::hidden_value;
use crate::test_server::Response;

/// English texts that most pages of an organization have in English.
const ENGLISH: [&str; 10] =
    ["Members", "Role", "E-mail", "Delete", "Cancel", "Save", " the ", " of ", "There is", "Show"];

impl PagesFixture {
    /// Sends a request of Ann to a path below `/orgs/acme` as a German browser does.
    fn send_german(&self, method: &str, path: &str, fields: &[(&str, &str)]) -> Response {
        let headers = [
            ("authorization", self.orgs.authorization("Ann")),
            ("accept", "text/html"),
            ("accept-language", "de-AT,de;q=0.9,en;q=0.5"),
            ("content-type", "application/x-www-form-urlencoded"),
            ("origin", "http://127.0.0.1:8080"),
        ];
        self.orgs.server.send(method, &format!("/orgs/acme{path}"), &headers, &encode(fields))
    }

    /// Returns the content of a German page.
    #[track_caller]
    fn german_page(&self, path: &str) -> String {
        let page = self.send_german("GET", path, &[]);
        assert_eq!(page.status, 200, "{path}: {}", page.text);
        assert_contains(&page.body, &["<html lang=\"de\""]);
        let (_, content) = page.body.split_once("<main").unwrap();
        content.split("</main>").next().unwrap().to_owned()
    }

    /// Adds content to all pages: a domain, an invite, a team, a theme, a layout preset and a price.
    fn fill(&self) {
        self.verify_domain();
        self.api("POST", "/domains", json!({ "domain": "other.example" }));
        self.submit("Ann", "/invites", &[("step", "invite"), ("emails", "eve@example.com")]);
        self.api("POST", "/teams", json!({ "name": "North", "members": [] }));
        self.api("POST", "/themes", json!({ "name": "brand", "colors": ["#0b5394", "#ffdd00"] }));
        let layout = json!({ "name": "A4", "width": 842, "height": 595.5, "display_unit": "pt" });
        self.api("PATCH", "/settings", json!({ "layouts": [layout] }));
        self.set_plan(Plan::Enterprise, Seats::Limited(10));
        self.set_price(123_450);
    }
}

#[test]
fn every_page_has_a_german_heading_and_no_english_text() {
    let fixture = PagesFixture::new();
    fixture.fill();
    let ben = fixture.orgs.user_id("Ben");
    let team = fixture.api("GET", "/teams", Value::Null)["teams"][0]["id"].clone();
    let team = team.as_str().unwrap();
    let pages = [
        (String::new(), "Mitglieder"),
        ("/invites".to_owned(), "Einladungen"),
        ("/teams".to_owned(), "Teams"),
        (format!("/teams/{team}"), "North"),
        (format!("/teams/{team}/delete"), "Team North löschen?"),
        ("/themes".to_owned(), "Designs"),
        ("/themes/_new".to_owned(), "Neues Design"),
        ("/themes/brand/delete".to_owned(), "Design brand löschen?"),
        ("/assets".to_owned(), "Dateien"),
        ("/domains".to_owned(), "Domains"),
        ("/domains/acme.example/delete".to_owned(), "Domain acme.example löschen?"),
        ("/scim".to_owned(), "Benutzerbereitstellung"),
        ("/settings".to_owned(), "Einstellungen"),
        ("/settings/layouts/delete?name=A4".to_owned(), "Layoutvorlage A4 löschen?"),
        ("/subscription".to_owned(), "Abonnement"),
        ("/audit".to_owned(), "Änderungsprotokoll"),
        ("/members/new".to_owned(), "Neues verwaltetes Konto"),
        (format!("/members/{ben}"), "Ben"),
        (format!("/members/remove?id={ben}"), "Ben entfernen?"),
    ];
    for (path, heading) in pages {
        let page = fixture.german_page(&path);
        assert_contains(&page, &[&format!("<h1>{heading}</h1>")]);
        for text in ENGLISH {
            assert!(!page.contains(text), "{path} has {text:?}: {page}");
        }
    }
}

#[test]
fn numbers_notices_and_errors_follow_the_language() {
    let fixture = PagesFixture::new();
    fixture.fill();
    assert_contains(
        &fixture.german_page("/subscription"),
        &["5 von 10 Plätzen belegt", "4 Mitglieder und 1 offene Einladung", "12.345,00\u{a0}€ pro"],
    );
    assert_contains(&fixture.german_page("/settings"), &["842 × 595,5 pt", "Ränder "]);
    assert_contains(&fixture.german_page("/themes"), &["1 Warnung", "einen Kontrast von 1,3:1"]);
    assert_contains(&fixture.german_page("?done=invited"), &["role=\"status\">Die Personen sind"]);
    let refused = fixture.send_german("GET", "/themes/brand", &[]);
    let updated = hidden_value(&refused.body, "updated");
    fixture.api("PUT", "/themes/brand", json!({ "title": "Other" }));
    let fields = [("updated", updated.as_str()), ("colors", "teal")];
    let conflict = fixture.send_german("POST", "/themes/brand", &fields);
    assert_eq!(conflict.status, 409, "{}", conflict.text);
    assert_contains(&conflict.body, &["role=\"alert\">Jemand hat das Design geändert, seit"]);
}

#[test]
fn the_audit_log_is_german_but_its_exports_are_not() {
    let fixture = PagesFixture::new();
    let path = format!("/members/{}", fixture.orgs.user_id("Ben"));
    fixture.submit_ok(&path, &[("role", "brand_manager")], "The changes to the member are saved.");
    fixture.api("PATCH", "/settings", json!({ "disable_public_documents": true }));
    assert_contains(
        &fixture.german_page("/audit"),
        &[
            "scope=\"row\">Rolle geändert</th>",
            "<div>Rolle: Mitglied → Markenmanager</div>",
            "<span class=\"muted\">Konto</span>",
            "<div>alle Dokumente privat halten: nein → ja</div>",
            "<option value=\"member.change\">Rolle geändert</option>",
            "<optgroup label=\"Mitglieder und Einladungen\">",
        ],
    );
    let headers = [("authorization", fixture.orgs.authorization("Ann")), ("accept-language", "de")];
    let path = "/api/v1/orgs/acme/audit-log?format=csv&action=member.change";
    let export = fixture.orgs.server.send("GET", path, &headers, "").body;
    assert_contains(&export, &["member.change", "\"\"to\"\":\"\"brand_manager\"\""]);
    assert!(!export.contains("Rolle") && !export.contains("Mitglied"), "{export}");
}
