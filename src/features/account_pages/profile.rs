//! The page of the profile: name, address, avatar, and layout of new documents.

use askama::Template;

use super::frame;
use super::frame::Frame;
use super::frame::Section;
use crate::app::RequestContext;
use crate::features::accounts;
use crate::features::accounts::User;
use crate::features::accounts::UserChanges;
use crate::features::accounts::form::FieldLabels;
use crate::features::accounts::form::Form;
use crate::features::accounts::form::Problem;
use crate::features::accounts::page_parts;
use crate::features::me::avatar_upload;
use crate::features::org_pages::layout_form;
use crate::features::org_pages::layout_form::LayoutForm;
use crate::features::orgs;
use crate::features::orgs::Layout;
use crate::features::people;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::http::Response;
use chartroom_platform::http::multipart;
use chartroom_platform::language;
use chartroom_platform::language::Language;

/// Names and labels of the fields of the profile.
const FIELDS: &FieldLabels = &[("name", "account.fullName"), ("language", "account.language")];

/// The page of the profile.
#[derive(Template)]
#[template(path = "account-profile.html")]
struct ProfilePage<'a> {
    frame: Frame,
    title: &'static str,
    name: String,
    email: String,
    username: String,
    /// Name of the organization that manages the account. Empty without one.
    manager: String,
    problem: &'a Problem,
    /// Languages with their tags, and whether they are chosen. The first one is that of the browser.
    languages: Vec<(&'static str, &'static str, bool)>,
    /// Whether the user has uploaded an avatar.
    has_avatar: bool,
    avatar_problem: &'a Problem,
    /// Whether new documents have an own layout.
    has_layout: bool,
    layout: LayoutForm<'a>,
    units: [(&'static str, &'static str); 4],
    layout_problem: &'a Problem,
}

/// A submitted form that is shown again with its errors.
#[derive(Default)]
struct RejectedForms {
    /// Form of the profile.
    profile: Option<Form>,
    /// Form of the layout.
    layout: Option<Form>,
    problem: Problem,
    avatar_problem: Problem,
    layout_problem: Problem,
}

/// Handles `GET /account`.
pub fn page(request: &RequestContext, caller: &User, (): ()) -> Result<Response> {
    show_page(request, caller, &RejectedForms::default())
}

/// Handles `POST /account`: stores the name, and the language if the form has it.
pub fn submit(request: &RequestContext, caller: &User, (): ()) -> Result<Response> {
    let form = Form::from_request(request)?;
    match parse_profile(&form).and_then(|change| change_account(request, caller, change)) {
        Ok(()) => frame::redirect("/account", "profile-saved"),
        Err(error) => {
            let problem = Problem::from_error(error, FIELDS)?;
            let rejected =
                RejectedForms { profile: Some(form), problem, ..RejectedForms::default() };
            show_page(request, caller, &rejected)
        }
    }
}

/// Handles `POST /account/avatar`: stores the file of the form as the avatar.
pub fn submit_avatar(request: &RequestContext, caller: &User, (): ()) -> Result<Response> {
    let parts = multipart::parse_form(request)?;
    let file = parts.iter().find(|part| part.name == "file" && !part.content.is_empty());
    let saved = match file {
        Some(file) => avatar_upload::set_avatar(request.app, &caller.id, "file", &file.content),
        None => Err(Error::invalid_field("file", "must be chosen first")),
    };
    match saved {
        Ok(()) => frame::redirect("/account", "avatar-saved"),
        Err(error) => {
            let avatar_problem = Problem::from_error(error, &[("file", "field-labels.image")])?;
            show_page(
                request,
                caller,
                &RejectedForms { avatar_problem, ..RejectedForms::default() },
            )
        }
    }
}

/// Handles `POST /account/avatar/remove`: removes the avatar.
pub fn remove_avatar(request: &RequestContext, caller: &User, (): ()) -> Result<Response> {
    avatar_upload::remove_avatar(request.app, &caller.id)?;
    frame::redirect("/account", "avatar-removed")
}

/// Handles `POST /account/layout`: stores the layout of new documents, or removes it if the field
/// `step` is `remove`.
pub fn submit_layout(request: &RequestContext, caller: &User, (): ()) -> Result<Response> {
    let form = Form::from_request(request)?;
    let is_removal = form.value("step") == "remove";
    let layout = if is_removal { Ok(None) } else { parse_layout(request, caller, &form).map(Some) };
    let saved = layout.and_then(|layout| {
        let change = UserChanges { default_layout: Some(layout), ..UserChanges::default() };
        change_account(request, caller, change)
    });
    match saved {
        Ok(()) if is_removal => frame::redirect("/account", "layout-removed"),
        Ok(()) => frame::redirect("/account", "layout-saved"),
        Err(error) => {
            let layout_problem = Problem::from_error(error, layout_form::FIELDS)?;
            let rejected =
                RejectedForms { layout: Some(form), layout_problem, ..RejectedForms::default() };
            show_page(request, caller, &rejected)
        }
    }
}

/// Parses the form of a layout, as JSON. Keeps the name of the stored layout, and its exact values if
/// none is changed.
///
/// # Errors
/// `InvalidFields` for lengths that are not valid and for an unknown unit.
fn parse_layout(request: &RequestContext, caller: &User, form: &Form) -> Result<String> {
    let mut layout = Layout { name: None, ..layout_form::parse_layout(form)? };
    let profile = request.app.db.read(|tx| accounts::load_profile(tx, &caller.id))?;
    if let Some(stored) = profile.default_layout {
        layout = layout_form::keep_unchanged(form, layout, &serde_json::from_str(&stored)?);
    }
    layout.check("")?;
    Ok(serde_json::to_string(&layout)?)
}

/// Parses the form of the profile. An absent language stays.
///
/// # Errors
/// `InvalidFields` for an unknown language.
fn parse_profile(form: &Form) -> Result<UserChanges> {
    let tags = form.values("language");
    let parse =
        |tag: &String| accounts::parse_language(Some(tag.as_str()).filter(|tag| !tag.is_empty()));
    Ok(UserChanges {
        name: Some(form.value("name").to_owned()),
        language: tags.first().map(parse).transpose()?,
        ..UserChanges::default()
    })
}

/// Returns the tag and the name of each language, and whether it is chosen, after an entry with an empty
/// tag for the language of the browser.
fn list_languages(chosen: Option<Language>) -> Vec<(&'static str, &'static str, bool)> {
    let browser = ("", language::text("account.browserLanguage"), chosen.is_none());
    let all = Language::ALL.map(|entry| (entry.tag(), entry.name(), Some(entry) == chosen));
    std::iter::once(browser).chain(all).collect()
}

/// Changes the account of the caller.
fn change_account(request: &RequestContext, caller: &User, change: UserChanges) -> Result<()> {
    let user = caller.clone();
    request.app.db.write_with_reserve(move |tx| {
        accounts::update_own_account(tx, &user, change.clone(), None, None).map(drop)
    })
}

/// Shows the page with the stored values, or those of rejected forms.
fn show_page(
    request: &RequestContext,
    caller: &User,
    rejected: &RejectedForms,
) -> Result<Response> {
    let (profile, manager, has_avatar) = request.app.db.read(|tx| {
        let manager = match people::managing_org(tx, &caller.id)? {
            Some(org) => orgs::find_org(tx, org.as_str())?.name,
            None => String::new(),
        };
        let profile = accounts::load_profile(tx, &caller.id)?;
        Ok::<_, Error>((profile, manager, avatar_upload::has_avatar(tx, &caller.id)?))
    })?;
    let layout: Option<Layout> =
        profile.default_layout.as_deref().map(serde_json::from_str).transpose()?;
    let stored_layout = layout.as_ref().map(layout_form::fill_form).unwrap_or_default();
    let problems = [&rejected.problem, &rejected.avatar_problem];
    let problem = problems.into_iter().find(|problem| !problem.status.is_success());
    let page = ProfilePage {
        frame: Frame::new(request, caller, Section::Profile),
        title: language::text("account.profile"),
        name: match &rejected.profile {
            Some(form) => form.value("name").to_owned(),
            None => profile.name,
        },
        languages: list_languages(match &rejected.profile {
            Some(form) => Language::from_tag(form.value("language")),
            None => profile.language,
        }),
        email: profile.email,
        username: profile.username,
        manager,
        problem: &rejected.problem,
        has_avatar,
        avatar_problem: &rejected.avatar_problem,
        has_layout: layout.is_some(),
        layout: LayoutForm::new(rejected.layout.as_ref().unwrap_or(&stored_layout)),
        units: layout_form::list_units(),
        layout_problem: &rejected.layout_problem,
    };
    page_parts::render_with_problem(&page, problem.unwrap_or(&rejected.layout_problem))
}
