//! Tests of routing: the chosen route, decoded parameters, and errors.

use chartroom_platform::http::Request;
use chartroom_platform::http::Response;
use chartroom_platform::http::Route;

use super::HttpTestServer;
use super::create_route;

/// Returns a handler that responds with a name and the parameters of the path.
fn echo_params(
    name: &'static str,
) -> impl Fn(&Request) -> chartroom_platform::error::Result<Response> {
    move |request| {
        let values: Vec<String> =
            request.params.iter().map(|(key, value)| format!(" {key}={value}")).collect();
        Ok(Response::bytes("text/plain", format!("{name}{}", values.concat())))
    }
}

fn test_routes() -> Vec<Route> {
    vec![
        create_route("GET", "/doc/{doc}", echo_params("bare")),
        create_route("PUT", "/doc/{id}", echo_params("put")),
        create_route("GET", "/doc/{doc}.png", echo_params("png")),
        create_route("GET", "/doc/new", echo_params("new")),
        create_route("GET", "/list", echo_params("root")),
        create_route("GET", "/list/{*path}", echo_params("rest")),
    ]
}

#[test]
fn most_specific_route_is_chosen_and_parameters_are_decoded() {
    let server = HttpTestServer::new(test_routes());
    let check =
        |path: &str, expected: &str| assert_eq!(server.get(path).text(), expected, "{path}");
    check("/doc/7", "bare doc=7");
    check("/doc/7.png", "png doc=7");
    check("/doc/new", "new");
    check("/doc/a%20b%C3%BC?x=1", "bare doc=a bü");
    check("/list", "root");
    check("/list/", "root");
    check("/list/a/b%26c", "rest path=a/b&c");
    assert_eq!(server.send("PUT /doc/7", b"{}").text(), "put id=7");
}

#[test]
fn unknown_route_or_method_returns_a_problem_document() {
    let server = HttpTestServer::new(test_routes());
    assert_eq!(server.get("/nothing").check_problem(), (404, "not_found".to_owned()));
    let wrong = server.send("DELETE /doc/7", b"");
    assert_eq!(wrong.check_problem(), (405, "method_not_allowed".to_owned()));
    assert_eq!(wrong.header("allow"), Some("GET, HEAD, PUT, OPTIONS"));
    let garbled = server.get("/doc/%ff%fe");
    assert_eq!(garbled.check_problem(), (400, "invalid_field".to_owned()));
    assert_eq!(garbled.json()["errors"][0]["field"], "doc");
}

#[test]
fn options_and_head_are_supported_automatically() {
    let server = HttpTestServer::new(test_routes());
    let options = server.send("OPTIONS /doc/7", b"");
    assert_eq!((options.status, options.header("allow")), (204, Some("GET, HEAD, PUT, OPTIONS")));
    let head = server.send("HEAD /doc/7", b"");
    assert_eq!((head.status, head.header("content-length")), (200, Some("10")));
    assert_eq!(server.send("HEAD /nothing", b"").status, 404);
}
