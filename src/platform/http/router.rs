//! Lookup of the route for a method and a path.
//!
//! Literal segments take precedence over placeholders. A placeholder can have a suffix
//! (`{doc}.png`) or match the rest of the path (`{*path}`). Paths that differ only in the names of
//! their placeholders form one pattern. Each method of a pattern can use its own names.
//! The route [`FALLBACK_PATH`] gets the requests for paths without a route.

use std::borrow::Cow;

use hyper::Method;
use percent_encoding::percent_decode_str;

use super::route::Route;
use crate::error::Error;
use crate::error::Result;

/// Path of the route that handles GET and HEAD for all paths without a route, except those for
/// programs. Other methods of these paths fail with `NotFound`.
pub const FALLBACK_PATH: &str = "/{*unknown}";

/// Prefixes of the paths for programs, which never reach the fallback: the API and SCIM.
const PROGRAM_PREFIXES: [&str; 2] = ["/api/", "/sso/scim/"];

/// An index of all routes by path pattern and method.
pub struct Router {
    /// Index into `patterns` for each path.
    tree: matchit::Router<usize>,
    patterns: Vec<PathPattern>,
    /// Index of the route with [`FALLBACK_PATH`].
    fallback: Option<usize>,
}

/// All routes with the same path, apart from the names of placeholders.
struct PathPattern {
    /// Value of the `Allow` header.
    allow: String,
    /// Whether scripts of other origins may read the responses of at least one method.
    allow_any_origin: bool,
    methods: Vec<MethodRoute>,
}

/// One method of a pattern.
struct MethodRoute {
    method: &'static str,
    /// Index into the route table.
    route: usize,
    /// Names of the placeholders, in the order of the path.
    names: Vec<&'static str>,
}

/// The result of a successful lookup.
#[derive(Debug, PartialEq, Eq)]
pub enum RouteMatch<'r> {
    /// Index of the route, and the names and decoded values of its placeholders.
    Route(usize, Vec<(&'static str, String)>),
    /// An OPTIONS request, which needs no route of its own.
    Options {
        /// Allowed methods, as the value of the `Allow` header.
        allow: &'r str,
        /// Whether scripts of other origins may read responses of this path.
        allow_any_origin: bool,
    },
}

impl Router {
    /// Builds the index of all routes.
    ///
    /// # Errors
    /// `Internal` if two routes have the same method and pattern, or if a pattern is invalid or
    /// ambiguous.
    pub fn new(routes: &[Route]) -> Result<Self> {
        let fallback = routes.iter().position(|route| route.path == FALLBACK_PATH);
        let mut router = Self { tree: matchit::Router::new(), patterns: Vec::new(), fallback };
        let mut known: Vec<(String, usize)> = Vec::new();
        for (index, route) in routes.iter().enumerate() {
            if route.path == FALLBACK_PATH {
                continue;
            }
            let (pattern, names) = number_placeholders(route.path);
            let pattern_index =
                match known.iter().find(|(known_pattern, _)| *known_pattern == pattern) {
                    Some((_, pattern_index)) => *pattern_index,
                    None => {
                        let pattern_index = router.patterns.len();
                        router.tree.insert(&pattern, pattern_index).map_err(|error| {
                            Error::internal(format!("route {}: {error}", route.path))
                        })?;
                        router.patterns.push(PathPattern {
                            allow: String::new(),
                            allow_any_origin: false,
                            methods: Vec::new(),
                        });
                        known.push((pattern, pattern_index));
                        pattern_index
                    }
                };
            router.patterns[pattern_index].allow_any_origin |= route.allow_any_origin;
            let methods = &mut router.patterns[pattern_index].methods;
            if methods.iter().any(|row| row.method == route.method) {
                let text = format!("two routes for {} {}", route.method, route.path);
                return Err(Error::internal(text));
            }
            methods.push(MethodRoute { method: route.method, route: index, names });
        }
        for pattern in &mut router.patterns {
            pattern.allow = format_allow_header(&pattern.methods);
        }
        Ok(router)
    }

    /// Finds the route for `method` and the percent-encoded `path`, with the decoded values of its
    /// placeholders. HEAD is treated as GET, and a trailing slash is ignored if only the path
    /// without it has a route.
    ///
    /// OPTIONS needs no route of its own. It matches each path that has a route, and `*`.
    ///
    /// # Errors
    /// - `NotFound` if no route has this path.
    /// - `MethodNotAllowed` with the allowed methods if the path has no route for the method.
    /// - `InvalidFields` if a placeholder's value is not UTF-8 or contains a null character.
    pub fn find(&self, method: &Method, path: &str) -> Result<RouteMatch<'_>> {
        if path == "*" && method == Method::OPTIONS {
            let allow = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS";
            return Ok(RouteMatch::Options { allow, allow_any_origin: false });
        }
        // A trailing slash is ignored. For `{*path}` the empty rest means the root folder.
        let without_slash = || path.strip_suffix('/').and_then(|path| self.tree.at(path).ok());
        let Some(matched) = self.tree.at(path).ok().or_else(without_slash) else {
            return self.find_fallback(method, path);
        };
        let pattern = &self.patterns[*matched.value];
        let wanted = if method == Method::HEAD { "GET" } else { method.as_str() };
        let Some(row) = pattern.methods.iter().find(|row| row.method == wanted) else {
            return match wanted {
                "OPTIONS" => Ok(RouteMatch::Options {
                    allow: &pattern.allow,
                    allow_any_origin: pattern.allow_any_origin,
                }),
                _ => Err(Error::MethodNotAllowed(pattern.allow.clone())),
            };
        };
        let mut params = Vec::with_capacity(row.names.len());
        for (name, (_, value)) in row.names.iter().zip(matched.params.iter()) {
            params.push((*name, decode_value(name, value)?));
        }
        Ok(RouteMatch::Route(row.route, params))
    }

    /// Returns the fallback for a path without a route, without values of placeholders.
    ///
    /// # Errors
    /// `NotFound` for a path for programs, another method than GET and HEAD, or without a fallback.
    fn find_fallback(&self, method: &Method, path: &str) -> Result<RouteMatch<'_>> {
        let is_for_programs = PROGRAM_PREFIXES.iter().any(|prefix| path.starts_with(prefix));
        let is_page = matches!(*method, Method::GET | Method::HEAD) && !is_for_programs;
        let route = self.fallback.filter(|_| is_page).ok_or(Error::NotFound("page"))?;
        Ok(RouteMatch::Route(route, Vec::new()))
    }
}

/// Percent-decodes the value of the placeholder `name`. A plus sign stays unchanged.
///
/// # Errors
/// `InvalidFields` about `name` if the value is not UTF-8 or contains a null character.
fn decode_value(name: &str, value: &str) -> Result<String> {
    // Fast path: nearly all values are ids.
    if value.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') {
        return Ok(value.to_owned());
    }
    let text = percent_decode_str(value)
        .decode_utf8()
        .map_err(|_| Error::invalid_field(name, "is not valid UTF-8 when percent-decoded"))?;
    match text {
        text if text.contains('\0') => Err(Error::invalid_field(name, "contains a null character")),
        Cow::Borrowed(text) => Ok(text.to_owned()),
        Cow::Owned(text) => Ok(text),
    }
}

/// Replaces the names of the placeholders by numbers and returns the names separately, without
/// stars.
///
/// `/users/{id}/{*path}` becomes `/users/{p0}/{*p1}` and `["id", "path"]`.
fn number_placeholders(path: &'static str) -> (String, Vec<&'static str>) {
    let (mut pattern, mut names, mut rest) = (String::with_capacity(path.len()), Vec::new(), path);
    while let Some((before, from_name)) = rest.split_once('{') {
        let (name, after) = from_name.split_once('}').unwrap_or((from_name, ""));
        let star = if name.starts_with('*') { "*" } else { "" };
        pattern.push_str(&format!("{before}{{{star}p{}}}", names.len()));
        names.push(name.trim_start_matches('*'));
        rest = after;
    }
    pattern.push_str(rest);
    (pattern, names)
}

/// Returns the value of the `Allow` header for these methods, with HEAD added after GET and OPTIONS
/// at the end.
fn format_allow_header(rows: &[MethodRoute]) -> String {
    let mut methods: Vec<&str> = Vec::with_capacity(rows.len() + 2);
    for row in rows {
        methods.push(row.method);
        if row.method == "GET" {
            methods.push("HEAD");
        }
    }
    methods.push("OPTIONS");
    methods.join(", ")
}

#[cfg(test)]
#[path = "router_tests.rs"]
mod tests;
