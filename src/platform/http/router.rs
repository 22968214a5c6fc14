//! Finds the route of a method and a path: literal before placeholder, suffixes, rest paths.
//!
//! Paths that differ in the names of their placeholders only are one shape, and the methods of a
//! shape may each name the placeholders their own way.

use std::borrow::Cow;

use hyper::Method;
use percent_encoding::percent_decode_str;

use super::route::Route;
use crate::error::Error;
use crate::error::Result;

/// All routes by shape.
pub struct Router {
    tree: matchit::Router<usize>,
    shapes: Vec<Shape>,
}

/// The routes that share a path, but for the names in it.
struct Shape {
    /// The value of the `Allow` header.
    allow: String,
    /// Whether scripts of other sites may read one of its answers.
    any_site: bool,
    methods: Vec<Row>,
}

struct Row {
    method: &'static str,
    /// Index into the route table.
    route: usize,
    /// Names of the placeholders, in the order of the path.
    names: Vec<&'static str>,
}

/// What stands at a method and a path.
#[derive(Debug, PartialEq, Eq)]
pub enum Found<'r> {
    /// A route, by its index, with the decoded values of its placeholders.
    Route(usize, Vec<(&'static str, String)>),
    /// An OPTIONS request to a path.
    Options {
        /// The methods that it takes.
        allow: &'r str,
        /// Whether scripts of other sites may read its answers.
        any_site: bool,
    },
}

impl Router {
    /// Takes all routes.
    ///
    /// # Errors
    /// When two routes are the same, or a path cannot be told from another.
    pub fn new(routes: &[Route]) -> Result<Self> {
        let mut router = Self { tree: matchit::Router::new(), shapes: Vec::new() };
        let mut known: Vec<(String, usize)> = Vec::new();
        for (index, route) in routes.iter().enumerate() {
            let (shape, names) = shape(route.path);
            let at = match known.iter().find(|(it, _)| *it == shape) {
                Some((_, at)) => *at,
                None => {
                    let at = router.shapes.len();
                    router.tree.insert(&shape, at).map_err(|error| {
                        Error::internal(format!("route {}: {error}", route.path))
                    })?;
                    router.shapes.push(Shape {
                        allow: String::new(),
                        any_site: false,
                        methods: Vec::new(),
                    });
                    known.push((shape, at));
                    at
                }
            };
            router.shapes[at].any_site |= route.any_site;
            let methods = &mut router.shapes[at].methods;
            if methods.iter().any(|row| row.method == route.method) {
                let text = format!("two routes for {} {}", route.method, route.path);
                return Err(Error::internal(text));
            }
            methods.push(Row { method: route.method, route: index, names });
        }
        for shape in &mut router.shapes {
            shape.allow = allow(&shape.methods);
        }
        Ok(router)
    }

    /// The route for `method` at `path` (as sent, still percent-encoded). HEAD is GET.
    ///
    /// # Errors
    /// `NotFound`, `Method` with what is allowed, or `Invalid` when a value is not UTF-8.
    pub fn find(&self, method: &Method, path: &str) -> Result<Found<'_>> {
        if path == "*" && method == Method::OPTIONS {
            let allow = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS";
            return Ok(Found::Options { allow, any_site: false });
        }
        let matched = match self.tree.at(path) {
            Ok(matched) => matched,
            // A trailing slash names the same thing: an empty rest path is the root folder.
            Err(_) => path
                .strip_suffix('/')
                .and_then(|trimmed| self.tree.at(trimmed).ok())
                .ok_or(Error::NotFound("page"))?,
        };
        let shape = &self.shapes[*matched.value];
        let wanted = if method == Method::HEAD { "GET" } else { method.as_str() };
        let Some(row) = shape.methods.iter().find(|row| row.method == wanted) else {
            return match wanted {
                "OPTIONS" => Ok(Found::Options { allow: &shape.allow, any_site: shape.any_site }),
                _ => Err(Error::Method(shape.allow.clone())),
            };
        };
        let mut params = Vec::with_capacity(row.names.len());
        for (name, (_, value)) in row.names.iter().zip(matched.params.iter()) {
            params.push((*name, decoded(name, value)?));
        }
        Ok(Found::Route(row.route, params))
    }
}

fn decoded(name: &str, value: &str) -> Result<String> {
    // An id, as nearly all are.
    if value.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'-') {
        return Ok(value.to_owned());
    }
    let text = percent_decode_str(value)
        .decode_utf8()
        .map_err(|_| Error::field(name, "is not valid UTF-8 when percent-decoded"))?;
    match text {
        text if text.contains('\0') => Err(Error::field(name, "contains a null character")),
        Cow::Borrowed(text) => Ok(text.to_owned()),
        Cow::Owned(text) => Ok(text),
    }
}

/// The path with its placeholders numbered, and their names.
fn shape(path: &'static str) -> (String, Vec<&'static str>) {
    let (mut shape, mut names, mut rest) = (String::with_capacity(path.len()), Vec::new(), path);
    while let Some((before, from_name)) = rest.split_once('{') {
        let (name, after) = from_name.split_once('}').unwrap_or((from_name, ""));
        let star = if name.starts_with('*') { "*" } else { "" };
        shape.push_str(&format!("{before}{{{star}p{}}}", names.len()));
        names.push(name.trim_start_matches('*'));
        rest = after;
    }
    shape.push_str(rest);
    (shape, names)
}

fn allow(rows: &[Row]) -> String {
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
