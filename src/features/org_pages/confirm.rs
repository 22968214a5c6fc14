//! The page that asks before a destructive action and names its consequences.

use askama::Template;

use super::frame::Frame;
use crate::features::accounts::form::Problem;

/// The page that asks before a destructive action. Its form is sent to the path of the page.
#[derive(Template)]
#[template(path = "org-confirm.html")]
pub struct ConfirmPage<'a> {
    /// Frame of the page.
    pub frame: Frame,
    /// Question.
    pub title: String,
    /// Consequences, one sentence each.
    pub consequences: Vec<String>,
    /// Hidden fields of the form.
    pub fields: Vec<(&'static str, String)>,
    /// Label of the button.
    pub action: &'static str,
    /// Path of the page without the action.
    pub cancel: String,
    /// Whether the action is possible, for example because the organization is not suspended.
    pub is_possible: bool,
    /// Errors of the last attempt.
    pub problem: &'a Problem,
}
