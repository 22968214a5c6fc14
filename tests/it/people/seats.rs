//! Seats: growth with a confirmed price, concurrent requests, and the subscription.

use std::thread;

use chartroom::features::orgs;
use chartroom::features::orgs::Price;
use chartroom::features::orgs::Seats;
use chartroom::features::orgs::SubscriptionTerms;
use serde_json::Value;
use serde_json::json;

use super::create_managed;
use super::member_names;
use super::set_plan;
use super::start_with_verified_domain;
use crate::teams::OrgFixture;

/// Sets a price of each seat in hundredths of a euro per month.
fn set_price(fixture: &OrgFixture, price: u32) {
    let org = fixture.org.id.clone();
    let set = move |tx: &chartroom_platform::db::WriteTx<'_>| {
        let mut terms = SubscriptionTerms::new(tx.now);
        terms.price = Price::PerSeat(price);
        orgs::set_grants(tx, &org, None, Some(Some(terms)))
    };
    fixture.server.app.db.write(set).unwrap();
}

#[test]
fn seats_grow_automatically_to_their_limit_for_the_confirmed_price() {
    let fixture = start_with_verified_domain();
    set_plan(&fixture, Seats::Limited(4));
    set_price(&fixture, 700);
    let settings = json!({ "auto_update_seat_count": true, "auto_update_seat_count_limit": 6 });
    assert_eq!(fixture.request_org("Ann", "PATCH", "/settings", settings).status, 204);

    let mut body = json!({ "emails": ["x@example.com", "y@example.com"], "role": "member" });
    let checked = fixture.request_org("Ann", "POST", "/invites/check", body.clone()).json();
    let info = &checked["update_info"];
    let expected = json!({
        "additional_seats": 2,
        "max_member_count": 6,
        "currency": "EUR",
        "period": "month",
        "period_interval": 1,
        "price_per_period": 4200,
        "price_per_user_and_period": 700,
        "due_now": 1400,
        "confirmation": checked["confirmation"],
    });
    assert_eq!(*info, expected);
    let unconfirmed = fixture.request_org("Ann", "POST", "/invites", body.clone());
    assert_eq!(unconfirmed.status, 409, "{}", unconfirmed.text);
    let problem: Value = serde_json::from_str(&unconfirmed.body).unwrap();
    assert_eq!(problem["update_info"]["due_now"], 1400);

    // A new price needs a new confirmation.
    body["confirmation"] = info["confirmation"].clone();
    set_price(&fixture, 800);
    let outdated = fixture.request_org("Ann", "POST", "/invites", body.clone());
    assert_eq!(outdated.status, 409, "{}", outdated.text);
    let problem: Value = serde_json::from_str(&outdated.body).unwrap();
    assert_eq!(problem["update_info"]["due_now"], 1600);
    body["confirmation"] = problem["update_info"]["confirmation"].clone();
    assert_eq!(fixture.request_org("Ann", "POST", "/invites", body).status, 204);
    let subscription = fixture.request_org("Ann", "GET", "/subscription", Value::Null).json();
    assert_eq!(subscription["max_member_count"], 6);
    assert_eq!(subscription["price_per_period"], 4800);
    assert_eq!(subscription["pending_invite_count"], 2);

    // Both invites hold a seat, and the limit is reached.
    let refused = create_managed(&fixture, "Man");
    assert_eq!(refused.status, 402, "{}", refused.text);
    // A managed account takes the seat of the open invite for its address.
    fixture.server.execute_sql(
        "update invite set email = 'man@acme.example', email_key = 'man@acme.example'
         where email = 'x@example.com'",
    );
    let created = create_managed(&fixture, "Man");
    assert_eq!(created.status, 200, "{}", created.text);
    let invites = fixture.request_org("Ann", "GET", "/invites", Value::Null).json();
    assert_eq!(invites["invites"].as_array().unwrap().len(), 1, "{invites}");
}

#[test]
fn seats_without_a_subscription_do_not_grow() {
    let fixture = start_with_verified_domain();
    set_plan(&fixture, Seats::Limited(4));
    let settings = json!({ "auto_update_seat_count": true });
    assert_eq!(fixture.request_org("Ann", "PATCH", "/settings", settings).status, 204);
    let body = json!({ "emails": ["x@example.com"] });
    let refused = fixture.request_org("Ann", "POST", "/invites/check", body);
    assert_eq!(refused.status, 402, "{}", refused.text);
    // A request without anybody to add needs no seat.
    let body = json!({ "emails": ["ben@example.org"] });
    let checked = fixture.request_org("Ann", "POST", "/invites/check", body);
    assert_eq!(checked.status, 200, "{}", checked.text);
}

#[test]
fn twenty_parallel_requests_take_exactly_the_five_free_seats() {
    let fixture = start_with_verified_domain();
    set_plan(&fixture, Seats::Limited(9));
    let requests: Vec<(&str, Value)> = (0..20)
        .map(|number| match number % 2 {
            0 => ("/invites", json!({ "emails": [format!("i{number}@example.com")] })),
            _ => {
                let email = format!("m{number}@acme.example");
                let mut body = json!({ "name": "Man", "email": email });
                let checked = fixture.request_org("Ann", "POST", "/users/check", body.clone());
                body["confirmation"] = checked.json()["confirmation"].clone();
                ("/users", body)
            }
        })
        .collect();
    let statuses: Vec<u16> = thread::scope(|scope| {
        let send = |(path, body): (&'static str, Value)| {
            let fixture = &fixture;
            scope.spawn(move || fixture.request_org("Ann", "POST", path, body).status)
        };
        let threads: Vec<_> = requests.into_iter().map(send).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let succeeded = statuses.iter().filter(|status| matches!(status, 200 | 204)).count();
    assert_eq!(succeeded, 5, "{statuses:?}");
    let refused = statuses.iter().filter(|status| **status == 402).count();
    assert_eq!(refused, 15, "{statuses:?}");
    let invites = fixture.request_org("Ann", "GET", "/invites", Value::Null).json();
    let invites = invites["invites"].as_array().unwrap().len();
    assert_eq!(member_names(&fixture).len() + invites, 9);
}

#[test]
fn the_subscription_is_shown_to_admins_and_absent_without_one() {
    let fixture = OrgFixture::new();
    let get = |name: &str| fixture.request_org(name, "GET", "/subscription", Value::Null);
    let none = get("Ann");
    assert_eq!((none.status, none.body.as_str()), (204, ""));
    assert_eq!((get("Bea").status, get("Dan").status), (403, 404));
    set_plan(&fixture, Seats::Limited(10));
    set_price(&fixture, 950);
    let subscription = get("Ann").json();
    let started = subscription["started_at"].clone();
    let expected = json!({
        "name": "Chartroom enterprise",
        "current_member_count": 4,
        "max_member_count": 10,
        "unlimited": false,
        "free": false,
        "period_interval": 1,
        "period": "month",
        "currency": "EUR",
        "price_per_period": 9500,
        "price_per_user_and_period": 950,
        "management_url": "http://127.0.0.1:8080/orgs/acme",
        "suspended": false,
        "plan": "enterprise",
        "status": "active",
        "flat_fee": false,
        "started_at": started,
        "current_period_end": null,
        "cancel_at_period_end": false,
        "trial_ends_at": null,
        "pending_invite_count": 0,
    });
    assert_eq!(subscription, expected);
    fixture.set_suspended(true);
    let suspended = get("Ann").json();
    assert_eq!(
        [&suspended["status"], &suspended["suspended"]],
        [&json!("suspended"), &json!(true)]
    );
}
