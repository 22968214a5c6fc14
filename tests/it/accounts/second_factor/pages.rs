//! Tests of the pages for the second factor, without scripts.

use super::FactorFixture;
use super::sign_in;
use crate::accounts::totp_app::TotpApp;
use crate::test_server::PASSWORD;
use crate::test_server::Response;
use crate::test_server::TestServer;

/// The password in a form.
const FORM_PASSWORD: &str = "correct+horse+battery";

/// Returns the value of a hidden field. Panics without one.
fn hidden_value(page: &Response, name: &str) -> String {
    let start = format!("name=\"{name}\" value=\"");
    let (_, rest) = page.body.split_once(&start).unwrap_or_else(|| panic!("{}", page.body));
    rest.split_once('"').unwrap().0.to_owned()
}

#[test]
fn sign_in_page_asks_for_the_code_in_a_second_step() {
    let fixture = FactorFixture::new();
    let server = &fixture.server;
    let password = format!("email=ann&password={FORM_PASSWORD}&next=/recent");
    let step = server.submit_form("/sign-in", &password);
    assert_eq!((step.status, step.header("set-cookie").as_str()), (200, ""), "{}", step.text);
    for part in [r#"autocomplete="one-time-code""#, r#"inputmode="numeric""#] {
        assert!(step.body.contains(part), "no {part}: {}", step.body);
    }
    assert!(!step.body.contains(PASSWORD), "{}", step.body);
    let (ticket, next) = (hidden_value(&step, "ticket"), hidden_value(&step, "next"));
    let submit = |ticket: &str, code: &str| {
        server.submit_form("/sign-in", &format!("ticket={ticket}&code={code}&next={next}"))
    };
    let wrong = submit(&ticket, &fixture.app.wrong_code());
    assert_eq!((wrong.status, wrong.header("set-cookie").as_str()), (401, ""));
    assert!(
        wrong.body.contains("The code is wrong, has expired or was used before."),
        "{}",
        wrong.body
    );
    assert_eq!(hidden_value(&wrong, "ticket"), ticket);
    let empty = submit(&ticket, "");
    assert_eq!((empty.status, empty.header("set-cookie").as_str()), (401, ""));
    let signed_in = submit(&ticket, &fixture.app.code(0));
    assert_eq!((signed_in.status, signed_in.header("location").as_str()), (303, "/recent"));
    let cookie = signed_in.cookie();
    assert_eq!(server.send("GET", "/api/v1/user", &[("cookie", &cookie)], "").status, 200);
    assert_eq!(submit(&ticket, &fixture.app.code(0)).status, 401, "the code was used");
}

#[test]
fn ticket_is_bound_to_the_password_and_cannot_be_invented() {
    let fixture = FactorFixture::new();
    let server = &fixture.server;
    let step = server.submit_form("/sign-in", &format!("email=ann&password={FORM_PASSWORD}"));
    let ticket = hidden_value(&step, "ticket");
    let refused = |ticket: &str| {
        let body = format!("ticket={ticket}&code={}", fixture.app.code(0));
        let page = server.submit_form("/sign-in", &body);
        assert_eq!((page.status, page.header("set-cookie").as_str()), (401, ""), "{}", page.text);
        assert!(page.body.contains("The sign-in took too long"), "{}", page.body);
    };
    refused("AAAA");
    refused(&ticket[1..]);
    server.execute_sql("update user set disabled = 1");
    refused(&ticket);
    server.execute_sql("update user set disabled = 0, password_hash = password_hash || 'x'");
    refused(&ticket);
}

#[test]
fn code_of_another_site_is_refused() {
    let fixture = FactorFixture::new();
    let step =
        fixture.server.submit_form("/sign-in", &format!("email=ann&password={FORM_PASSWORD}"));
    let body = format!("ticket={}&code={}", hidden_value(&step, "ticket"), fixture.app.code(0));
    let headers =
        [("content-type", "application/x-www-form-urlencoded"), ("origin", "https://evil.example")];
    let refused = fixture.server.send("POST", "/sign-in", &headers, &body);
    assert_eq!((refused.status, refused.header("set-cookie").as_str()), (403, ""));
}

#[test]
fn account_page_sets_the_second_factor_up_and_turns_it_off() {
    let server = TestServer::new();
    server.create_user("Ann");
    let cookie = sign_in(&server, PASSWORD, None).cookie();
    let submit = |path: &str, body: &str| {
        let headers = [
            ("cookie", cookie.as_str()),
            ("sec-fetch-site", "same-origin"),
            ("content-type", "application/x-www-form-urlencoded"),
        ];
        server.send("POST", &format!("/account/second-factor{path}"), &headers, body)
    };
    let wrong = submit("", "current_password=wrong");
    assert_eq!(wrong.status, 400);
    assert!(wrong.body.contains("This is not the current password."), "{}", wrong.body);
    let page = submit("", &format!("current_password={FORM_PASSWORD}"));
    assert_eq!(page.status, 200, "{}", page.text);
    assert!(page.body.contains("<svg xmlns"), "{}", page.body);
    let secret = hidden_value(&page, "secret");
    let app = TotpApp::new(&secret);
    let wrong = submit("/confirm", &format!("secret={secret}&code={}", app.wrong_code()));
    assert_eq!(wrong.status, 400);
    assert!(
        wrong.body.contains("This code is wrong, has expired or was used before."),
        "{}",
        wrong.body
    );
    assert_eq!(hidden_value(&wrong, "secret"), secret);
    // The page shows the secret only to a form that contains it.
    let without = submit("/confirm", &format!("secret=A&code={}", app.wrong_code()));
    assert!(!without.body.contains(&secret), "{}", without.body);

    let page = submit("/confirm", &format!("secret={secret}&code={}", app.code(0)));
    assert_eq!(page.status, 200, "{}", page.text);
    assert!(page.body.contains("10 recovery codes are left."), "{}", page.body);
    assert!(page.body.contains("download=\"chartroom-recovery-codes.txt\""), "{}", page.body);
    let page = server.send("GET", "/account/security", &[("cookie", &cookie)], "");
    assert!(!page.body.contains("download="), "the codes are shown once: {}", page.body);
    server.execute_sql("update second_factor set last_step = 0");
    let form = format!("current_password={FORM_PASSWORD}&code={}", app.code(0));
    let page = submit("/recovery-codes", &form);
    assert_eq!(page.status, 200, "{}", page.text);
    assert!(page.body.contains("download="), "{}", page.body);
    let form = format!("current_password={FORM_PASSWORD}&code={}", app.code(1));
    let off = submit("/off", &form);
    assert_eq!(off.header("location"), "/account/security?done=second-factor-off");
    assert_eq!(sign_in(&server, PASSWORD, None).status, 200);
}
