//! Which route answers, and what is said when none does.

use chartroom_platform::http::Request;
use chartroom_platform::http::Response;
use chartroom_platform::http::Route;

use super::Server;
use super::route;

fn echo(name: &'static str) -> impl Fn(&Request) -> chartroom_platform::error::Result<Response> {
    move |request| {
        let values: Vec<String> =
            request.params.iter().map(|(key, value)| format!(" {key}={value}")).collect();
        Ok(Response::bytes("text/plain", format!("{name}{}", values.concat())))
    }
}

fn routes() -> Vec<Route> {
    vec![
        route("GET", "/doc/{doc}", echo("bare")),
        route("PUT", "/doc/{id}", echo("put")),
        route("GET", "/doc/{doc}.png", echo("png")),
        route("GET", "/doc/new", echo("new")),
        route("GET", "/list", echo("root")),
        route("GET", "/list/{*path}", echo("rest")),
    ]
}

#[test]
fn the_most_literal_route_answers_with_decoded_values() {
    let server = Server::new(routes());
    let check = |path: &str, want: &str| assert_eq!(server.get(path).text(), want, "{path}");
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
fn what_is_not_there_is_a_problem() {
    let server = Server::new(routes());
    assert_eq!(server.get("/nothing").problem(), (404, "not_found".to_owned()));
    let wrong = server.send("DELETE /doc/7", b"");
    assert_eq!(wrong.problem(), (405, "method_not_allowed".to_owned()));
    assert_eq!(wrong.header("allow"), Some("GET, HEAD, PUT, OPTIONS"));
    let garbled = server.get("/doc/%ff%fe");
    assert_eq!(garbled.problem(), (400, "invalid_field".to_owned()));
    assert_eq!(garbled.json()["errors"][0]["field"], "doc");
}

#[test]
fn options_and_head_come_by_themselves() {
    let server = Server::new(routes());
    let options = server.send("OPTIONS /doc/7", b"");
    assert_eq!((options.status, options.header("allow")), (204, Some("GET, HEAD, PUT, OPTIONS")));
    let head = server.send("HEAD /doc/7", b"");
    assert_eq!((head.status, head.header("content-length")), (200, Some("10")));
    assert_eq!(server.send("HEAD /nothing", b"").status, 404);
}
