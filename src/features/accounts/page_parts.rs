//! Parts that pages with a navigation share: links, notices, rendering with the errors of a form.

use askama::Template;
use hyper::header::RETRY_AFTER;

use super::form::Problem;
use super::pages;
use chartroom_platform::error::Result;
use chartroom_platform::http::Response;
use chartroom_platform::language;

/// A link of the navigation.
pub struct NavigationLink {
    /// Name of the page.
    pub label: &'static str,
    /// Path of the page.
    pub href: String,
    /// Name of the icon.
    pub icon: &'static str,
    /// Whether this is the shown page.
    pub is_current: bool,
}

/// A notice at the top of a page about the last action. The address of the page contains only its
/// code, so that a link cannot show any other text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Notice {
    /// Code in the query of the address.
    pub code: &'static str,
    /// Key of the sentence for the reader. A found notice has the sentence instead.
    pub text: &'static str,
    /// Whether it reports a problem.
    pub is_warning: bool,
}

impl Notice {
    /// Creates a notice about a success, with the key of its text.
    pub const fn success(code: &'static str, text: &'static str) -> Self {
        Self { code, text, is_warning: false }
    }

    /// Creates a notice about a problem, with the key of its text.
    pub const fn warning(code: &'static str, text: &'static str) -> Self {
        Self { code, text, is_warning: true }
    }

    /// Returns the notice with a code, with its text in the current language. None for an unknown code.
    pub fn find(notices: &[Self], code: &str) -> Option<Self> {
        let notice = notices.iter().find(|notice| notice.code == code)?;
        Some(Self { text: language::text(notice.text), ..*notice })
    }
}

/// Renders a page with the status of a problem, and the time after which to try again.
///
/// # Errors
/// `Internal` if the template cannot be rendered.
pub fn render_with_problem(page: &impl Template, problem: &Problem) -> Result<Response> {
    let response = pages::render_page(problem.status, page)?;
    match problem.retry_after {
        Some(seconds) => response.with_header(RETRY_AFTER, &seconds.to_string()),
        None => Ok(response),
    }
}
