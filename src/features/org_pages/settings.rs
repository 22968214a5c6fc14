//! The page of the settings: name, restrictions and layout presets.

use askama::Template;

use super::frame;
use super::frame::Frame;
use super::frame::OrgView;
use super::frame::Section;
use super::layout_form;
use super::layout_form::LayoutForm;
use super::layout_form::LayoutRow;
use crate::app::RequestContext;
use crate::features::accounts::User;
use crate::features::accounts::form::FieldLabels;
use crate::features::accounts::form::Form;
use crate::features::accounts::form::Problem;
use crate::features::orgs;
use crate::features::orgs::Role;
use crate::features::orgs::settings;
use crate::features::orgs::settings::Settings;
use crate::features::orgs::settings::SettingsPatch;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::http::Response;
use chartroom_platform::language;

/// Names and labels of the fields of the form.
const FIELDS: &FieldLabels = &[("name", "common.name"), (LIMIT, "org-settings.seatLimit")];

/// Name of the field with the largest number of seats.
const LIMIT: &str = "auto_update_seat_count_limit";

/// The page of the settings.
#[derive(Template)]
#[template(path = "org-settings.html")]
struct SettingsPage<'a> {
    frame: Frame,
    title: &'static str,
    /// Whether the caller may change the settings: the organization is not suspended.
    can_change: bool,
    name: String,
    toggles: Vec<Toggle>,
    /// Largest number of seats, or an empty text.
    seat_limit: String,
    /// Hidden fields with the stored values.
    shown: Vec<(String, String)>,
    layouts: Vec<LayoutRow>,
    layout: LayoutForm<'a>,
    units: [(&'static str, &'static str); 4],
    problem: &'a Problem,
    /// Errors of the form for a layout preset.
    layout_problem: &'a Problem,
}

/// A setting that is on or off.
struct Toggle {
    /// Name of the setting in the API.
    name: &'static str,
    label: &'static str,
    /// Consequence while it is on.
    consequence: &'static str,
    is_on: bool,
}

/// Handles `GET /orgs/{org}/settings`, for brand managers and admins.
pub fn page(request: &RequestContext, caller: &User, (): ()) -> Result<Response> {
    let (problem, form) = (Problem::default(), Form::default());
    show_page(request, caller, None, &problem, &form, &problem)
}

/// Handles `POST /orgs/{org}/settings`, for brand managers and admins: stores the name and all
/// settings except the layout presets.
pub fn submit(request: &RequestContext, caller: &User, (): ()) -> Result<Response> {
    let form = Form::from_request(request)?;
    let name: String = request.param("org")?;
    let saved = parse_settings(&form).and_then(|patch| {
        let (name, caller) = (name, caller.id.clone());
        let new_name =
            (form.value("name") != form.value("shown.name")).then(|| form.value("name").to_owned());
        request.app.db.write(move |tx| {
            let org = orgs::require_role(tx, &name, &caller, Role::BrandManager)?;
            orgs::change_org(tx, org, new_name.as_deref(), None)?;
            let change = |settings: Settings| Ok(settings.with_patch(patch.clone()));
            settings::change_settings(tx, &name, &caller, None, change)
        })
    });
    match saved {
        Ok(()) => frame::redirect(request, "/settings", "settings-saved"),
        Err(error) => {
            let problem = Problem::from_error(error, FIELDS)?;
            let (none, empty) = (Problem::default(), Form::default());
            show_page(request, caller, Some(&form), &problem, &empty, &none)
        }
    }
}

/// Shows the page. `form` has the values of the settings if they have errors, and `layout_form`
/// those of a layout preset.
pub fn show_page(
    request: &RequestContext,
    caller: &User,
    form: Option<&Form>,
    problem: &Problem,
    layout_form: &Form,
    layout_problem: &Problem,
) -> Result<Response> {
    let shown = if problem.status.is_success() { layout_problem } else { problem };
    let build = |tx: &Tx<'_>, view: OrgView| {
        let stored = orgs::find_settings(tx, &view.org.id)?;
        let limit = stored.auto_update_seat_count_limit.map(|limit| limit.to_string());
        let value = |name: &str, stored: &str| {
            form.map_or_else(|| stored.to_owned(), |form| form.value(name).to_owned())
        };
        Ok(SettingsPage {
            title: language::text("org-settings.title"),
            can_change: !view.org.suspended,
            name: value("name", &view.org.name),
            toggles: list_toggles(&stored, form),
            seat_limit: value(LIMIT, limit.as_deref().unwrap_or_default()),
            shown: list_shown(&view.org.name, &stored),
            layouts: stored.layouts.iter().map(LayoutRow::new).collect(),
            layout: LayoutForm::new(layout_form),
            units: layout_form::list_units(),
            problem,
            layout_problem,
            frame: view.frame,
        })
    };
    frame::show(request, caller, Section::Settings, shown, build)
}

/// Parses the settings that differ from those that the form showed, in the hidden fields `shown.…`, so
/// that a form does not undo what somebody else has changed meanwhile. An unchecked box is off, and an
/// empty limit is none.
///
/// # Errors
/// `InvalidFields` for the limit.
fn parse_settings(form: &Form) -> Result<SettingsPatch> {
    let limit = form.text(LIMIT).map(str::parse::<u32>).transpose().map_err(|_| {
        Error::invalid_field(LIMIT, "must be a whole number that is not negative, or empty")
    })?;
    let is_on = |name: &str| {
        let (is_checked, shown) = (form.is_checked(name), format!("shown.{name}"));
        let is_unchanged = form.is_checked(&shown) && is_checked == (form.value(&shown) == "on");
        (!is_unchanged).then_some(is_checked)
    };
    let shown_limit = format!("shown.{LIMIT}");
    let is_limit_unchanged =
        form.is_checked(&shown_limit) && form.text(&shown_limit) == form.text(LIMIT);
    Ok(SettingsPatch {
        layouts: None,
        auto_invite_domain_users: is_on("auto_invite_domain_users"),
        auto_update_seat_count: is_on("auto_update_seat_count"),
        auto_update_seat_count_limit: (!is_limit_unchanged).then_some(limit),
        // On the page about single sign-on.
        enforce_sso: None,
        require_second_factor: is_on("require_second_factor"),
        disable_unmanaged_accounts: is_on("disable_unmanaged_accounts"),
        disable_document_storage: is_on("disable_document_storage"),
        disable_public_documents: is_on("disable_public_documents"),
    })
}

/// Returns the hidden fields with the stored name and settings, which [`parse_settings`] compares.
fn list_shown(name: &str, stored: &Settings) -> Vec<(String, String)> {
    let limit = stored.auto_update_seat_count_limit.map(|limit| limit.to_string());
    let toggles = list_toggles(stored, None).into_iter();
    let toggles = toggles.map(|toggle| {
        let value = if toggle.is_on { "on" } else { "off" };
        (format!("shown.{}", toggle.name), value.to_owned())
    });
    let texts = [
        ("shown.name".to_owned(), name.to_owned()),
        (format!("shown.{LIMIT}"), limit.unwrap_or_default()),
    ];
    toggles.chain(texts).collect()
}

/// Lists the settings that are on or off, with the stored values or those of a form.
fn list_toggles(stored: &Settings, form: Option<&Form>) -> Vec<Toggle> {
    let toggle = |name, label, consequence, stored: bool| Toggle {
        name,
        label: language::text(label),
        consequence: language::text(consequence),
        is_on: form.map_or(stored, |form| form.is_checked(name)),
    };
    vec![
        toggle(
            "disable_public_documents",
            "org-settings.privateOnly",
            "org-settings.privateOnlyHint",
            stored.disable_public_documents,
        ),
        toggle(
            "disable_document_storage",
            "org-settings.noStorage",
            "org-settings.noStorageHint",
            stored.disable_document_storage,
        ),
        toggle(
            "auto_invite_domain_users",
            "org-settings.autoInvite",
            "org-settings.autoInviteHint",
            stored.auto_invite_domain_users,
        ),
        toggle(
            "require_second_factor",
            "org-settings.secondFactor",
            "org-settings.secondFactorHint",
            stored.require_second_factor,
        ),
        toggle(
            "disable_unmanaged_accounts",
            "org-settings.managedOnly",
            "org-settings.managedOnlyHint",
            stored.disable_unmanaged_accounts,
        ),
        toggle(
            "auto_update_seat_count",
            "org-settings.autoSeats",
            "org-settings.autoSeatsHint",
            stored.auto_update_seat_count,
        ),
    ]
}
