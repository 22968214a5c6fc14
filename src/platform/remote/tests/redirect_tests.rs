//! Tests of methods, headers, cookies and redirects.

use super::*;

/// Returns whether a recorded request has a header with this start, in any case.
fn has_header(request: &str, start: &str) -> bool {
    request.lines().any(|line| line.to_ascii_lowercase().starts_with(start))
}

#[test]
fn methods_headers_and_bodies_are_sent() {
    let server = TestServer::with_response(HELLO);
    let url = server.url("/x");
    let check = |method, body: Option<&[u8]>, first_line: &str, want: &str| {
        let headers = [("Authorization", "Bearer t"), ("Content-Type", "text/plain")];
        let request =
            RemoteRequest { method, headers: &headers, body, ..RemoteRequest::get(&url, 9) };
        assert_eq!(send(&request).unwrap().status, 200);
        let sent = server.requests().pop().unwrap();
        assert!(sent.starts_with(first_line), "{sent}");
        assert!(has_header(&sent, "authorization: bearer t"), "{sent}");
        assert!(has_header(&sent, "user-agent: chartroom/"), "{sent}");
        assert_eq!(sent.split_once("\r\n\r\n").unwrap().1, want);
        assert_eq!(has_header(&sent, "content-length: "), method.has_body(), "{sent}");
        assert!(!has_header(&sent, "transfer-encoding: "), "{sent}");
    };
    check(RemoteMethod::Get, None, "GET /x HTTP/1.1\r\n", "");
    check(RemoteMethod::Post, Some(b"abc"), "POST /x HTTP/1.1\r\n", "abc");
    check(RemoteMethod::Post, None, "POST /x HTTP/1.1\r\n", "");
    check(RemoteMethod::Put, Some(b"abc"), "PUT /x HTTP/1.1\r\n", "abc");
    check(RemoteMethod::Patch, Some(b"abc"), "PATCH /x HTTP/1.1\r\n", "abc");
    check(RemoteMethod::Delete, None, "DELETE /x HTTP/1.1\r\n", "");

    let count = server.requests().len();
    let with_body = RemoteRequest { body: Some(b"abc"), ..RemoteRequest::get(&url, 9) };
    assert!(matches!(send(&with_body), Err(RemoteFailure::Failed(_))));
    let headers = [("X-Injected", "a\r\nX-Other: secret")];
    let invalid = RemoteRequest { headers: &headers, ..RemoteRequest::get(&url, 9) };
    let failure = send(&invalid).unwrap_err();
    assert!(!failure.to_string().contains("secret"), "{failure}");
    assert_eq!(server.requests().len(), count);
}

#[test]
fn an_error_of_the_remote_server_is_a_response() {
    let response = "HTTP/1.1 429 Slow Down\r\nRetry-After: 7\r\nContent-Length: 2\r\n\r\nno";
    let found = get(&TestServer::with_response(response).url("/"), 5).unwrap();
    assert_eq!((found.status, found.header("retry-after")), (429, Some("7")));
    assert_eq!(found.body, b"no");
}

#[test]
fn a_redirect_is_followed_or_returned() {
    let server = TestServer::with_redirect(302, "/target?x");
    let url = server.url("/");
    let found = get(&url, 5).unwrap();
    assert_eq!((found.status, found.final_url), (200, server.url("/target?x")));
    let request = RemoteRequest { follow_redirects: false, ..RemoteRequest::get(&url, 5) };
    let found = send(&request).unwrap();
    assert_eq!((found.status, found.header("location")), (302, Some("/target?x")));
    assert_eq!(found.final_url, url);
    let with_body = "HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 4\r\n\r\nbody";
    let url = TestServer::with_response(with_body).url("/");
    let request = RemoteRequest { follow_redirects: false, ..RemoteRequest::get(&url, 5) };
    assert_eq!(send(&request).unwrap().status, 302);
    let not_modified = "HTTP/1.1 304 Not Modified\r\nETag: \"a\"\r\nLocation: /x\r\n\r\n";
    assert_eq!(get(&TestServer::with_response(not_modified).url("/"), 5).unwrap().status, 304);
}

#[test]
fn at_most_five_redirects_are_followed() {
    let count_down = || {
        TestServer::start(|request, stream| {
            let path = request.split(' ').nth(1).unwrap();
            let response = match path.trim_start_matches('/').parse::<u32>().unwrap() {
                0 => HELLO.to_owned(),
                left => redirect(302, &format!("/{}", left - 1)),
            };
            let _ = stream.write_all(response.as_bytes());
        })
    };
    let server = count_down();
    assert_eq!(get(&server.url("/5"), 5).unwrap().final_url, server.url("/0"));
    let server = count_down();
    let failure = get(&server.url("/6"), 5).unwrap_err();
    assert_eq!(failure.to_string(), "the remote source redirects more than 5 times");
    assert_eq!(server.requests().len(), 6);
    let server = TestServer::with_redirect(307, "/");
    assert!(matches!(get(&server.url("/"), 5), Err(RemoteFailure::Failed(_))));
    assert_eq!(server.requests().len(), 6);
}

#[test]
fn the_method_after_a_redirect_depends_on_the_status() {
    let check = |method: RemoteMethod, status, want: &str, body: &str| {
        let server = TestServer::with_redirect(status, "/x");
        let url = server.url("/");
        let headers = [("Content-Type", "text/plain")];
        let sent_body = method.has_body().then_some(b"abc".as_slice());
        let request = RemoteRequest {
            method,
            headers: &headers,
            body: sent_body,
            ..RemoteRequest::get(&url, 5)
        };
        send(&request).unwrap();
        let last = server.requests().pop().unwrap();
        assert!(last.starts_with(want), "{method:?} {status}: {last}");
        assert_eq!(last.split_once("\r\n\r\n").unwrap().1, body, "{method:?} {status}");
        assert_eq!(has_header(&last, "content-type"), !want.starts_with("GET"), "{last}");
    };
    check(RemoteMethod::Post, 301, "GET /x ", "");
    check(RemoteMethod::Post, 302, "GET /x ", "");
    check(RemoteMethod::Post, 303, "GET /x ", "");
    check(RemoteMethod::Post, 307, "POST /x ", "abc");
    check(RemoteMethod::Put, 308, "PUT /x ", "abc");
    check(RemoteMethod::Put, 302, "PUT /x ", "abc");
    check(RemoteMethod::Patch, 303, "GET /x ", "");
    check(RemoteMethod::Delete, 307, "DELETE /x ", "");
}

#[test]
fn secrets_are_not_sent_to_another_host_or_port() {
    let other = TestServer::with_response(HELLO);
    let headers = [
        ("Authorization", "Bearer secret"),
        ("BoxApi", "shared_link_password=secret"),
        ("Cookie", "a=secret"),
        ("Accept", "text/csv"),
    ];
    // The host differs from 127.0.0.1 as a text, and in the second case only the port differs.
    let elsewhere = format!("http://localhost:{}/x", other.address.port());
    for location in [elsewhere, other.url("/x")] {
        let server = TestServer::with_redirect(302, &location);
        let url = server.url("/");
        let request = RemoteRequest { headers: &headers, ..RemoteRequest::get(&url, 5) };
        send(&request).unwrap();
        assert!(has_header(&server.requests()[0], "authorization: bearer secret"));
        let last = other.requests().pop().unwrap();
        assert!(!last.contains("secret"), "{last}");
        assert!(has_header(&last, "accept: text/csv"), "{last}");
    }
    assert_eq!(other.requests().len(), 2);

    // At the same origin they are sent again.
    let server = TestServer::with_redirect(302, "/x");
    let url = server.url("/");
    send(&RemoteRequest { headers: &headers, ..RemoteRequest::get(&url, 5) }).unwrap();
    assert!(has_header(&server.requests()[1], "authorization: bearer secret"));
}

#[test]
fn a_change_is_not_redirected_to_another_server() {
    let target = ForbiddenServer::start("127.0.0.1");
    let server = TestServer::with_redirect(307, &format!("http://127.0.0.1:{}/", target.port()));
    let url = server.url("/");
    let request = RemoteRequest {
        method: RemoteMethod::Post,
        body: Some(b"client_secret=s"),
        ..RemoteRequest::get(&url, 5)
    };
    assert!(matches!(send(&request), Err(RemoteFailure::Failed(_))));
    assert_eq!(target.count_connections(), 0);
}

#[test]
fn redirects_to_invalid_urls_are_refused() {
    let target = ForbiddenServer::start("127.0.0.1");
    let port = target.port();
    for location in [
        format!("http://ann:secret@127.0.0.1:{port}/"),
        format!("ftp://127.0.0.1:{port}/"),
        format!("http://2130706433:{port}/"),
        "file:///etc/passwd".to_owned(),
        "http://".to_owned(),
    ] {
        let failure = get(&TestServer::with_redirect(302, &location).url("/"), 5).unwrap_err();
        assert!(matches!(failure, RemoteFailure::InvalidUrl(_)), "{location}: {failure:?}");
        assert!(!failure.to_string().contains("secret"), "{failure}");
    }
    assert_eq!(target.count_connections(), 0);
}

#[test]
fn cookies_are_returned_within_a_request_if_accepted() {
    let server = TestServer::start(|request, stream| {
        let response = if has_header(request, "cookie: session=1") {
            HELLO.to_owned()
        } else {
            redirect(302, "/\r\nSet-Cookie: session=1; Path=/; HttpOnly")
        };
        let _ = stream.write_all(response.as_bytes());
    });
    let url = server.url("/");
    let failure = get(&url, 5).unwrap_err();
    assert_eq!(failure.to_string(), "the remote source redirects more than 5 times");
    assert_eq!(server.requests().len(), 6);
    let request = RemoteRequest { accept_cookies: true, ..RemoteRequest::get(&url, 5) };
    let client = build_client(only_localhost(), Vec::new());
    for count in [8, 10] {
        // The next request starts without the cookie.
        assert_eq!(client.send(&request, Deadline::after(PATIENCE)).unwrap().body, b"hello");
        assert_eq!(server.requests().len(), count);
    }
}

#[test]
fn cookies_are_not_sent_to_another_server() {
    let other = TestServer::with_response(HELLO);
    let location = format!("{}\r\nSet-Cookie: session=1; Domain=127.0.0.1", other.url("/"));
    let server = TestServer::with_redirect(302, &location);
    let url = server.url("/");
    let request = RemoteRequest { accept_cookies: true, ..RemoteRequest::get(&url, 5) };
    assert_eq!(send(&request).unwrap().body, b"hello");
    assert!(!has_header(&other.requests()[0], "cookie"), "{:?}", other.requests());
}
