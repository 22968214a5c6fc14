//! Adding, ordering and deleting layout presets. The page of the settings lists them.

use super::confirm::ConfirmPage;
use super::frame;
use super::frame::OrgView;
use super::frame::Section;
use super::layout_form;
use super::layout_form::FIELDS;
use super::settings as settings_page;
use crate::app::RequestContext;
use crate::features::accounts::User;
use crate::features::accounts::form::Form;
use crate::features::accounts::form::Problem;
use crate::features::orgs;
use crate::features::orgs::Layout;
use crate::features::orgs::settings;
use crate::features::orgs::settings::Settings;
use chartroom_platform::db::Tx;
use chartroom_platform::error::OrNotFound;
use chartroom_platform::error::Result;
use chartroom_platform::http::Response;
use chartroom_platform::language;

/// Handles `POST /orgs/{org}/settings/layouts`, for brand managers and admins: adds a preset, or
/// replaces the one with the same name. With the field `step` of `first`, makes an existing preset
/// the default of new documents instead.
pub fn submit(request: &RequestContext, caller: &User, (): ()) -> Result<Response> {
    let form = Form::from_request(request)?;
    let saved = match form.value("step") {
        "first" => {
            let name = form.value("name").to_owned();
            change(request, caller, move |settings| with_first(settings, &name))
        }
        _ => layout_form::parse_layout(&form).and_then(|layout| {
            layout.check("")?;
            change(request, caller, move |settings| Ok(settings.with_layout(layout.clone())))
        }),
    };
    match saved {
        Ok(()) => frame::redirect(request, "/settings", "layout-saved"),
        Err(error) => {
            let problem = Problem::from_error(error, FIELDS)?;
            let none = Problem::default();
            settings_page::show_page(request, caller, None, &none, &form, &problem)
        }
    }
}

/// Handles `GET /orgs/{org}/settings/layouts/delete`, for brand managers and admins: asks before
/// the preset with the `name` in the query is deleted.
pub fn delete_page(request: &RequestContext, caller: &User, (): ()) -> Result<Response> {
    let name = request.query_value("name").unwrap_or_default();
    let problem = Problem::default();
    let build = |tx: &Tx<'_>, view: OrgView| {
        let presets = orgs::find_settings(tx, &view.org.id)?.layouts;
        let index = find_preset(&presets, &name)?;
        let rest = match (index, presets.as_slice()) {
            (0, [_]) => language::fill("org-settings.deleteLast"),
            (0, [_, next, ..]) => {
                let next = next.name.as_deref().unwrap_or_default();
                language::fill("org-settings.deleteFirst").with("name", next)
            }
            _ => language::fill("org-settings.deleteOther"),
        };
        let size = language::text("org-settings.deleteDocuments").to_owned();
        Ok(ConfirmPage {
            title: language::fill("org-settings.deleteTitle").with("name", &name).into(),
            consequences: vec![size, rest.into()],
            fields: vec![("name", name.clone())],
            action: language::text("org-settings.deleteAction"),
            cancel: format!("{}/settings", view.frame.home),
            is_possible: !view.frame.is_suspended,
            frame: view.frame,
            problem: &problem,
        })
    };
    frame::show(request, caller, Section::Settings, &problem, build)
}

/// Handles `POST /orgs/{org}/settings/layouts/delete`, for brand managers and admins.
pub fn delete(request: &RequestContext, caller: &User, (): ()) -> Result<Response> {
    let name = Form::from_request(request)?.value("name").to_owned();
    change(request, caller, move |settings| settings.without_layout(&name))?;
    frame::redirect(request, "/settings", "layout-deleted")
}

/// Returns the settings with the preset of this name moved to the start.
///
/// # Errors
/// `NotFound` without such a preset.
fn with_first(mut settings: Settings, name: &str) -> Result<Settings> {
    let index = find_preset(&settings.layouts, name)?;
    settings.layouts[..=index].rotate_right(1);
    Ok(settings)
}

/// Returns the position of the preset with this name.
///
/// # Errors
/// `NotFound` without such a preset.
fn find_preset(presets: &[Layout], name: &str) -> Result<usize> {
    let position = presets.iter().position(|preset| preset.name.as_deref() == Some(name));
    position.or_not_found("layout preset")
}

/// Changes the settings of the organization in the path.
fn change(
    request: &RequestContext,
    caller: &User,
    change: impl Fn(Settings) -> Result<Settings> + Send + 'static,
) -> Result<()> {
    let (org, caller) = (request.param::<String>("org")?, caller.id.clone());
    request.app.db.write(move |tx| settings::change_settings(tx, &org, &caller, None, &change))
}
