//! Tests of route lookup with the paths of the API.

use super::*;
use crate::http::Pool;
use crate::http::Security;
use crate::http::response::Response;

const ROUTES: &[(&str, &str)] = &[
    ("GET", "/"),
    ("GET", "/livez"),
    ("GET", "/s/{token}"),
    ("GET", "/invite/{token}"),
    ("GET", "/setup/{token}"),
    ("GET", "/cast/{token}"),
    ("GET", "/cast/receiver"),
    ("GET", "/assets/{*path}"),
    ("GET", "/help/errors/{code}"),
    ("GET", "/sso/saml2"),
    ("POST", "/sso/saml2"),
    ("GET", "/sso/saml2/signin"),
    ("GET", "/sso/scim/v2/orgs/{org}"),
    ("GET", "/sso/scim/v2/orgs/{org}/Users"),
    ("PATCH", "/sso/scim/v2/orgs/{org}/Users/{id}"),
    ("GET", "/api/v1/openapi.json"),
    ("GET", "/api/v1/search"),
    ("POST", "/api/v1/create-document"),
    ("GET", "/api/v1/users/{user_id}/list"),
    ("GET", "/api/v1/users/{user_id}/list/{*path}"),
    ("GET", "/api/v1/users/{user_id}/trash"),
    ("GET", "/api/v1/users/{user_id}/avatar.svg"),
    ("GET", "/api/v1/users/{user_id}/documents/{doc}"),
    ("PUT", "/api/v1/users/{user_id}/documents/{doc}"),
    ("POST", "/api/v1/users/{user_id}/documents/{doc}"),
    ("GET", "/api/v1/users/{user_id}/documents/{doc}.html"),
    ("GET", "/api/v1/users/{user_id}/documents/{doc}.svg"),
    ("GET", "/api/v1/users/{user_id}/documents/{doc}.png"),
    ("GET", "/api/v1/users/{user_id}/documents/{doc}/token"),
    ("POST", "/api/v1/users/{user_id}/documents/{doc}/token"),
    ("POST", "/api/v1/users/{user_id}/documents/{doc}/add-record"),
    ("POST", "/api/v1/users/{user_id}/documents/{doc}/move"),
    ("GET", "/api/v1/users/{user_id}/documents/{doc}/history"),
    ("GET", "/api/v1/users/{user_id}/documents/{doc}/history/{n}"),
    ("POST", "/api/v1/users/{user_id}/documents/{doc}/history/{n}/restore"),
    ("GET", "/api/v1/users/{user_id}/documents/{doc}/threads"),
    ("PUT", "/api/v1/users/{user_id}/documents/{doc}/threads/{thread}/{comment}"),
    ("GET", "/api/v1/users/{user_id}/folders"),
    ("GET", "/api/v1/users/{user_id}/folders/{*path}"),
    ("DELETE", "/api/v1/users/{user_id}/folders/{*path}"),
    ("GET", "/api/v1/users/{user_id}/foreign-folders"),
    ("DELETE", "/api/v1/users/{user_id}/foreign-folders/{owner}/{*path}"),
    ("DELETE", "/api/v1/users/{user_id}/foreign-documents/{owner}/{doc}"),
    ("POST", "/api/v1/share"),
    ("GET", "/api/v1/user"),
    ("GET", "/api/v1/user/tokens"),
    ("DELETE", "/api/v1/user/tokens/{id}"),
    ("GET", "/api/v1/user/cloud/connections"),
    ("DELETE", "/api/v1/cloud/{provider}/{connection}"),
    ("POST", "/api/v1/cloud/{provider}/{connection}/rename"),
    ("GET", "/api/v1/cloud/{provider}/{connection}/documents/{id}"),
    ("POST", "/api/v1/cloud/{provider}/{connection}/documents/{id}/rename"),
    ("POST", "/api/v1/cloud/{provider}/{connection}/upload/{folder}"),
    ("POST", "/api/v1/cloud/{provider}/{connection}/upload/{folder}/{id}"),
    ("GET", "/api/v1/cloud/{provider}/{connection}/folders"),
    ("GET", "/api/v1/cloud/{provider}/{connection}/folders/{id}"),
    ("GET", "/api/v1/cloud/{provider}/{connection}/folders/continue/{cursor}"),
    ("POST", "/api/v1/sync/document"),
    ("POST", "/api/v1/sync/document/check"),
    ("GET", "/api/v1/sync/document/{document}"),
    ("DELETE", "/api/v1/sync/document/{document}"),
    ("DELETE", "/api/v1/sync/connections/{connectionId}"),
    ("POST", "/api/v1/cast/sessions"),
    ("GET", "/api/v1/cast/sessions/{documentId}"),
    ("DELETE", "/api/v1/cast/sessions/{sessionId}"),
    ("POST", "/api/v1/cast/pair"),
    ("GET", "/api/v1/cast/pair/{poll_token}"),
    ("GET", "/api/v1/cast/{token}/check"),
    ("GET", "/api/v1/cast/{token}/document"),
    ("GET", "/api/v1/cast/{token}/document.svg"),
    ("GET", "/api/v1/cast/{token}/events"),
    ("GET", "/api/v1/portfolio"),
    ("GET", "/api/v1/portfolio/search"),
    ("GET", "/api/v1/portfolio/widgets/{id}"),
    ("PUT", "/api/v1/portfolio/favorites/{id}"),
    ("GET", "/api/v1/widgets/{id}"),
    ("POST", "/api/v1/widgets/{id}/reviews"),
    ("GET", "/api/v1/orgs/{org}"),
    ("GET", "/api/v1/orgs/{org}/users"),
    ("POST", "/api/v1/orgs/{org}/users/check"),
    ("GET", "/api/v1/orgs/{org}/users/{id}"),
    ("POST", "/api/v1/orgs/{org}/invites/check"),
    ("DELETE", "/api/v1/orgs/{org}/invite/{id}"),
    ("POST", "/api/v1/orgs/{org}/invites/{id}/send"),
    ("POST", "/api/v1/orgs/{org}/members/remove"),
    ("GET", "/api/v1/orgs/{org}/themes/{name}"),
    ("GET", "/api/v1/orgs/{org}/assets/{filename}"),
    ("PUT", "/api/v1/orgs/{org}/team/{team}/member/{id}"),
    ("POST", "/api/v1/orgs/{org}/domains/{domain}/verify"),
    ("POST", "/api/v1/orgs/{org}/settings/layouts"),
    ("DELETE", "/api/v1/orgs/{org}/settings/layouts/{name}"),
    ("DELETE", "/api/v1/orgs/{org}/settings/{key}"),
    ("GET", "/api/v1/orgs/{org}/audit-log"),
];

/// Returns a route for each entry of `entries`, in the same order. Paths that end in `/check` allow
/// any origin.
fn build_routes(entries: &[(&'static str, &'static str)]) -> Vec<Route> {
    let route = |&(method, path): &(&'static str, &'static str)| -> Route {
        Route {
            method,
            path,
            pool: Pool::Read,
            is_write: None,
            body_limit: None,
            security: Security::Open,
            allow_any_origin: path.ends_with("/check"),
            access_check: None,
            handler: Box::new(|_| Ok(Response::no_content())),
            describe: |_| {},
            summary: None,
        }
    };
    entries.iter().map(route).collect()
}

/// Describes the result of a lookup: the path and the placeholder values, or status and error text.
fn lookup(method: &str, path: &str) -> String {
    let router = Router::new(&build_routes(ROUTES)).unwrap();
    let method = Method::from_bytes(method.as_bytes()).unwrap();
    match router.find(&method, path) {
        Ok(RouteMatch::Route(index, params)) => {
            let values: Vec<String> =
                params.iter().map(|(name, value)| format!("{name}={value}")).collect();
            format!("{} {}", ROUTES[index].1, values.join(" ")).trim_end().to_owned()
        }
        Ok(RouteMatch::Options { allow, allow_any_origin: false }) => format!("options {allow}"),
        Ok(RouteMatch::Options { allow, allow_any_origin: true }) => {
            format!("any origin: options {allow}")
        }
        Err(error) => format!("{} {error}", error.status()),
    }
}

#[test]
fn every_path_of_the_api_matches_its_own_route() {
    for (method, path) in ROUTES {
        let filled = path.replace("{*path}", "a/b").replace(['{', '}'], "");
        let matched = lookup(method, &filled);
        assert_eq!(matched.split(' ').next().unwrap(), *path, "{method} {filled}");
    }
}

#[test]
fn literals_take_precedence_and_each_method_has_its_own_placeholder_names() {
    let check = |method, path: &str, want: &str| {
        assert_eq!(lookup(method, &format!("/api/v1{path}")), format!("/api/v1{want}"));
    };
    check("GET", "/cast/sessions/d1", "/cast/sessions/{documentId} documentId=d1");
    check("DELETE", "/cast/sessions/s1", "/cast/sessions/{sessionId} sessionId=s1");
    check("GET", "/cast/t1/check", "/cast/{token}/check token=t1");
    check("POST", "/sync/document/check", "/sync/document/check");
    check("GET", "/sync/document/d1", "/sync/document/{document} document=d1");
    check("GET", "/users/7/list", "/users/{user_id}/list user_id=7");
    check("GET", "/users/7/list/", "/users/{user_id}/list user_id=7");
    check("GET", "/users/7/list/a/b", "/users/{user_id}/list/{*path} user_id=7 path=a/b");
    check("HEAD", "/user", "/user");
}

#[test]
fn suffixes_take_precedence_over_the_plain_placeholder() {
    let check = |path: &str, want: &str| {
        let matched = lookup("GET", &format!("/api/v1/users/7/documents/{path}"));
        assert_eq!(matched, format!("/api/v1/users/{{user_id}}/documents/{want}"));
    };
    check("d1", "{doc} user_id=7 doc=d1");
    check("d1.png", "{doc}.png user_id=7 doc=d1");
    check("d1.svg", "{doc}.svg user_id=7 doc=d1");
    check("a.b.html", "{doc}.html user_id=7 doc=a.b");
    check("d1.pdf", "{doc} user_id=7 doc=d1.pdf");
    check("d1.png/token", "{doc}/token user_id=7 doc=d1.png");
    check("p.n.g/history/3", "{doc}/history/{n} user_id=7 doc=p.n.g n=3");
}

#[test]
fn values_are_percent_decoded_and_must_be_utf8_without_null() {
    let check = |path, want| assert_eq!(lookup("GET", path), want, "{path}");
    check("/help/errors/a%20b%C3%A4", "/help/errors/{code} code=a bä");
    check("/assets/a%20b/%E2%82%AC", "/assets/{*path} path=a b/€");
    check("/help/errors/a+b", "/help/errors/{code} code=a+b");
    check("/help/errors/%zz", "/help/errors/{code} code=%zz");
    check("/help/errors/%ff", "400 code: is not valid UTF-8 when percent-decoded");
    check("/help/errors/%00", "400 code: contains a null character");
}

#[test]
fn the_fallback_handles_reads_of_unknown_paths_except_those_of_the_api() {
    let router =
        Router::new(&build_routes(&[("GET", "/"), ("GET", FALLBACK_PATH), ("POST", "/a")]))
            .unwrap();
    let find = |method: Method, path| match router.find(&method, path) {
        Ok(RouteMatch::Route(index, params)) => {
            assert!(params.is_empty());
            index.to_string()
        }
        Ok(RouteMatch::Options { .. }) => "options".to_owned(),
        Err(error) => error.status().to_string(),
    };
    assert_eq!(find(Method::GET, "/"), "0");
    assert_eq!(find(Method::GET, "/no/such%ff/page/"), "1");
    assert_eq!(find(Method::HEAD, "/nothing"), "1");
    assert_eq!(find(Method::POST, "/nothing"), "404");
    assert_eq!(find(Method::OPTIONS, "/nothing"), "404");
    assert_eq!(find(Method::GET, "/api/v1/nothing"), "404");
    assert_eq!(find(Method::GET, "/a"), "405");
}

#[test]
fn unknown_paths_are_404_and_unknown_methods_are_405_with_the_allowed_ones() {
    let check = |method, path, want| assert_eq!(lookup(method, path), want, "{method} {path}");
    check("GET", "/nothing", "404 no such page");
    check("GET", "/api/v1/users", "404 no such page");
    check("DELETE", "/api/v1/user", "405 the path supports only GET, HEAD, OPTIONS");
    check("BREW", "/sso/saml2", "405 the path supports only GET, HEAD, POST, OPTIONS");
    check("OPTIONS", "/sso/saml2", "options GET, HEAD, POST, OPTIONS");
    check("OPTIONS", "/nothing", "404 no such page");
    check("OPTIONS", "/api/v1/cast/x/check", "any origin: options GET, HEAD, OPTIONS");
    check("OPTIONS", "/api/v1/cast/x/document", "options GET, HEAD, OPTIONS");
}
