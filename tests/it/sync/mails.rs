//! Mails about sources that fail and that work again.

use serde_json::json;

use super::Source;
use super::create_document;
use super::create_job;
use super::read_job;
use super::run_job;
use super::start_server_with;
use super::wait_until;
use crate::cli::external_servers::read_next_mail;
use crate::cli::external_servers::start_mail_server;

#[test]
#[ignore = "needs aiosmtpd"]
fn three_failures_and_the_recovery_give_one_mail_each() {
    let (_peer, mut mails, port) = start_mail_server(None);
    let port = port.to_string();
    let server = start_server_with(&[
        ("smtp_host", "127.0.0.1"),
        ("smtp_port", &port),
        ("smtp_tls", "none"),
        ("smtp_from", "charts@example.org"),
    ]);
    let source = Source::start("City,Sales\nBonn,4\n");
    let ann = server.ann();
    let id = create_document(&ann, "bar");
    let path = format!("/api/v1/users/me/documents/{id}");
    ann.patch(&path, json!({ "title": "Sales\r\nBcc: eve@example.org" })).expect(200);
    create_job(&ann, &id, &source.url);
    wait_until("the first run", || read_job(&ann, &id)["downloaded_at"].is_string());
    source.set(|state| state.status = 404);
    for _ in 0..5 {
        run_job(&ann, &id);
    }
    let mail = read_next_mail(&mut mails).join("\n").replace("=\n", "");
    assert!(mail.contains("ann@example.org"), "{mail}");
    assert!(mail.contains("there is no file at this address."), "{mail}");
    assert!(mail.contains(&format!("/d/{}/{id}", ann.id)), "{mail}");
    assert!(!mail.contains("\nBcc:"), "{mail}");
    source.set(|state| state.status = 0);
    run_job(&ann, &id);
    let mail = read_next_mail(&mut mails).join("\n").replace("=\n", "");
    assert!(mail.contains("gets new data from its source again"), "the next mail: {mail}");
    // The same day, further failures give no other mail.
    source.set(|state| state.status = 404);
    for _ in 0..4 {
        run_job(&ann, &id);
    }
    let other = create_document(&ann, "bar");
    create_job(&ann, &other, &source.url);
    wait_until("the first run", || read_job(&ann, &other)["error"].is_string());
    for _ in 0..2 {
        run_job(&ann, &other);
    }
    let mail = read_next_mail(&mut mails).join("\n").replace("=\n", "");
    assert!(mail.contains(&format!("/d/{}/{other}", ann.id)), "{mail}");
    assert!(mail.contains("There were no data from this source yet."), "{mail}");
}

#[test]
fn nobody_gets_a_mail_about_a_chart_in_the_trash() {
    let server = start_server_with(&[]);
    let source = Source::start("City,Sales\nBonn,4\n");
    let ann = server.ann();
    let [trashed, repaired, other] = [0, 1, 2].map(|_| {
        let id = create_document(&ann, "bar");
        create_job(&ann, &id, &source.url);
        wait_until("the first run", || read_job(&ann, &id)["downloaded_at"].is_string());
        id
    });
    let path = |id: &str| format!("/api/v1/users/me/documents/{id}");
    let both = [&trashed, &repaired];
    for id in both {
        ann.delete(&path(id)).expect(204);
    }
    source.set(|state| state.status = 404);
    for id in [&trashed, &repaired, &other] {
        for _ in 0..3 {
            run_job(&ann, id);
        }
    }
    // Without a mail server, the log has the mails.
    wait_until("the mail", || server.log().contains(&format!("{other} failing")));
    assert!(both.iter().all(|id| !server.log().contains(&format!("{id} failing"))));
    let restore = |id: &str| ann.post(&path(id), json!({ "action": "restore" })).expect(204);
    // The failures in the trash do not replace the mail after it.
    restore(&trashed);
    wait_until("the mail", || server.log().contains(&format!("{trashed} failing")));
    source.set(|state| state.status = 0);
    restore(&repaired);
    for id in [&repaired, &trashed, &other] {
        run_job(&ann, id);
    }
    for id in [&trashed, &other] {
        wait_until("the mail", || server.log().contains(&format!("{id} recovered")));
    }
    assert!(!server.log().contains(&format!("{repaired} ")), "nobody knows of a failure");
}
