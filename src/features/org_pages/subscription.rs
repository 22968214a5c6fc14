//! The page of the subscription.

use askama::Template;

use super::frame;
use super::frame::Frame;
use super::frame::Section;
use super::labels;
use super::members::SeatMeter;
use crate::app::RequestContext;
use crate::features::accounts::User;
use crate::features::accounts::form::Problem;
use crate::features::orgs::SubscriptionDetails;
use crate::features::orgs::SubscriptionStatus;
use crate::features::people::subscription;
use chartroom_platform::error::Result;
use chartroom_platform::http::Response;
use chartroom_platform::language;
use chartroom_platform::time::Timestamp;

/// The page of the subscription.
#[derive(Template)]
#[template(path = "org-subscription.html")]
struct SubscriptionPage {
    frame: Frame,
    title: &'static str,
    seats: SeatMeter,
    plan: &'static str,
    /// None without a subscription.
    subscription: Option<SubscriptionView>,
}

/// A subscription for people.
struct SubscriptionView {
    name: String,
    status: &'static str,
    /// Price of all seats for a period.
    price: String,
    /// Price of a seat for a period. Empty for a flat fee.
    price_per_seat: String,
    /// Terms and times, in order.
    dates: Vec<(&'static str, Timestamp)>,
    /// Sentence about the end of the subscription. Empty if it continues.
    end: &'static str,
    management_url: String,
}

impl SubscriptionView {
    /// Describes a subscription.
    fn new(details: SubscriptionDetails) -> Self {
        let summary = details.summary;
        let (currency, period) = (&summary.currency, summary.period);
        let price = |hundredths| {
            labels::format_periodic_price(hundredths, currency, period, summary.period_interval)
        };
        let dates = [
            ("org-subscription.started", Some(details.started_at)),
            ("org-subscription.trialEnd", details.trial_ends_at),
            ("org-subscription.periodEnd", details.current_period_end),
        ];
        Self {
            status: language::text(match details.status {
                SubscriptionStatus::Active => "org-subscription.active",
                SubscriptionStatus::Trialing => "org-subscription.trialing",
                SubscriptionStatus::Suspended => "org-subscription.suspended",
                SubscriptionStatus::Ended => "org-subscription.ended",
            }),
            price: price(summary.price_per_period),
            price_per_seat: match details.flat_fee {
                true => String::new(),
                false => price(summary.price_per_user_and_period),
            },
            dates: dates
                .into_iter()
                .filter_map(|(term, time)| Some((language::text(term), time?)))
                .collect(),
            end: match details.cancel_at_period_end {
                true => language::text("org-subscription.ends"),
                false => "",
            },
            name: summary.name,
            management_url: summary.management_url,
        }
    }
}

/// Handles `GET /orgs/{org}/subscription`, for admins.
pub fn page(request: &RequestContext, caller: &User, (): ()) -> Result<Response> {
    let problem = Problem::default();
    frame::show(request, caller, Section::Subscription, &problem, |tx, view| {
        let details = subscription::find_details(tx, &view.org, &request.app.config.base_url)?;
        Ok(SubscriptionPage {
            title: language::text("org-subscription.title"),
            seats: SeatMeter::load(tx, &view.org)?,
            plan: view.org.plan.as_str(),
            subscription: details.map(SubscriptionView::new),
            frame: view.frame,
        })
    })
}
