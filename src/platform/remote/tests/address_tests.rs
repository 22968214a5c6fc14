//! Tests that requests reach only allowed addresses and ports.

use super::*;

/// Requests a URL and checks that the address is refused.
fn expect_refused_address(client: &RemoteClient, url: &str) {
    let failure = client.send(&RemoteRequest::get(url, 100), Deadline::after(PATIENCE)).err();
    assert!(matches!(failure, Some(RemoteFailure::AddressRefused(_))), "{url}: {failure:?}");
}

#[test]
fn addresses_of_internal_networks_are_refused() {
    let target = ForbiddenServer::start("127.0.0.1");
    let client = build_client(NetworkRules::default(), Vec::new());
    let port = target.port();
    for host in ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "0.0.0.0"] {
        expect_refused_address(&client, &format!("http://{host}:{port}/"));
    }
    // Not every machine has IPv6.
    if let Ok(target) = TcpListener::bind("[::1]:0").map(ForbiddenServer) {
        expect_refused_address(&client, &format!("http://[::1]:{}/", target.port()));
        expect_refused_address(&client, &format!("http://[::]:{}/", target.port()));
        assert_eq!(target.count_connections(), 0);
    }
    for host in ["[::ffff:169.254.169.254]", "169.254.169.254", "[fd00:ec2::254]", "10.0.0.1"] {
        expect_refused_address(&client, &format!("http://{host}/latest/meta-data"));
    }
    assert_eq!(target.count_connections(), 0);
    let error = client.get(&format!("http://127.0.0.1:{port}/"), 100).unwrap_err();
    assert_eq!(error.to_string(), "127.0.0.1 is not on the public internet");
}

#[test]
fn metadata_services_are_refused_although_private_networks_are_allowed() {
    let networks = vec!["169.254.0.0/16".parse().unwrap(), "fd00::/8".parse().unwrap()];
    let rules = NetworkRules { allows_private: true, networks, ..NetworkRules::default() };
    let client = build_client(rules, Vec::new());
    for host in ["169.254.169.254", "[::ffff:169.254.169.254]", "[fd00:ec2::254]"] {
        expect_refused_address(&client, &format!("http://{host}/"));
    }
    let server = TestServer::with_redirect(302, "http://169.254.169.254/latest/meta-data");
    expect_refused_address(&client, &server.url("/"));
}

#[test]
fn numbers_are_not_addresses() {
    let target = ForbiddenServer::start("127.0.0.1");
    let rules = NetworkRules { allows_private: true, ..only_localhost() };
    let client = build_client(rules, Vec::new());
    for host in ["2130706433", "0177.0.0.1", "0x7f.0.0.1", "0x7f000001", "127.1", "127.0.0.1."] {
        let url = format!("http://{host}:{}/", target.port());
        let failure = client.send(&RemoteRequest::get(&url, 100), Deadline::after(PATIENCE)).err();
        assert!(matches!(failure, Some(RemoteFailure::InvalidUrl(_))), "{url}: {failure:?}");
    }
    assert_eq!(target.count_connections(), 0);
}

#[test]
fn user_info_and_other_schemes_are_refused() {
    let target = ForbiddenServer::start("127.0.0.1");
    let port = target.port();
    for url in [
        format!("http://ann:secret@127.0.0.1:{port}/"),
        format!("http://127.0.0.1:{port}\\@127.0.0.1:{port}/"),
        format!("ftp://127.0.0.1:{port}/"),
        format!("file://127.0.0.1:{port}/etc/passwd"),
        "file:///etc/passwd".to_owned(),
    ] {
        let failure = get(&url, 100).unwrap_err();
        assert!(matches!(failure, RemoteFailure::InvalidUrl(_)), "{url}: {failure:?}");
        assert!(!failure.to_string().contains("secret"), "{failure}");
    }
    assert_eq!(target.count_connections(), 0);
}

#[test]
fn this_server_is_refused_unless_a_network_names_it() {
    let target = ForbiddenServer::start("127.0.0.1");
    let port = target.port();
    for own in [format!("127.0.0.1:{port}"), format!("0.0.0.0:{port}"), format!("[::]:{port}")] {
        let networks = vec!["127.0.0.0/8".parse().unwrap()];
        let own_address = Some(own.parse().unwrap());
        let rules = NetworkRules { allows_private: true, networks, ports: Vec::new(), own_address };
        let client = build_client(rules, Vec::new());
        for host in ["127.0.0.1", "[::ffff:127.0.0.1]", "0.0.0.0"] {
            expect_refused_address(&client, &format!("http://{host}:{port}/"));
        }
        let redirect = TestServer::with_redirect(307, &format!("http://127.0.0.1:{port}/"));
        expect_refused_address(&client, &redirect.url("/"));
    }
    assert_eq!(target.count_connections(), 0);
    let server = TestServer::with_response(HELLO);
    let rules = NetworkRules { own_address: Some(server.address), ..only_localhost() };
    let client = build_client(rules, Vec::new());
    assert_eq!(client.get(&server.url("/"), 5).unwrap().body, b"hello");
}

#[test]
fn ports_of_other_services_are_refused() {
    let client = build_client(only_localhost(), Vec::new());
    expect_refused_address(&client, "http://127.0.0.1:22/");
    expect_refused_address(&client, "https://127.0.0.1:25/");
    let server = TestServer::with_redirect(302, "http://127.0.0.1:25/");
    expect_refused_address(&client, &server.url("/"));
    // Nothing listens at this port, so an attempt to connect fails.
    let rules = NetworkRules { ports: vec![1], ..only_localhost() };
    let client = build_client(rules, Vec::new());
    let failure = client
        .send(&RemoteRequest::get("http://127.0.0.1:1/", 100), Deadline::after(PATIENCE))
        .unwrap_err();
    assert!(matches!(failure, RemoteFailure::Failed(_)), "{failure:?}");
}

#[test]
fn redirects_to_internal_addresses_are_refused() {
    let target = ForbiddenServer::start("127.0.0.2");
    let port = target.port();
    let client = build_client(only_localhost(), Vec::new());
    for status in [301, 302, 303, 307, 308] {
        for location in [
            format!("http://127.0.0.2:{port}/"),
            format!("//127.0.0.2:{port}/"),
            format!("http://[::ffff:127.0.0.2]:{port}/"),
            format!("http://[::ffff:7f00:2]:{port}/"),
        ] {
            let server = TestServer::with_redirect(status, &location);
            expect_refused_address(&client, &server.url("/"));
            assert_eq!(server.requests().len(), 1);
        }
    }
    for location in [
        "http://169.254.169.254/latest/meta-data",
        "http://[::ffff:169.254.169.254]/",
        "http://[fd00:ec2::254]/",
        "http://[64:ff9b::a9fe:a9fe]/",
    ] {
        expect_refused_address(&client, &TestServer::with_redirect(302, location).url("/"));
    }
    assert_eq!(target.count_connections(), 0);
}

#[test]
fn a_configured_url_may_be_internal_but_its_redirects_may_not() {
    let target = ForbiddenServer::start("127.0.0.2");
    let server = TestServer::with_redirect(302, &format!("http://127.0.0.2:{}/", target.port()));
    let client = build_client(NetworkRules::default(), Vec::new());
    let send = |path: &str| {
        let url = server.url(path);
        client.send_to_configured(&RemoteRequest::get(&url, 100), Deadline::after(PATIENCE))
    };
    assert_eq!(send("/a").unwrap().body, b"hello");
    assert!(matches!(send("/"), Err(RemoteFailure::AddressRefused(_))));
    // A redirect to the same server is a URL of a response, too.
    let server = TestServer::with_redirect(302, "/a");
    let url = server.url("/");
    let result = client.send_to_configured(&RemoteRequest::get(&url, 9), Deadline::after(PATIENCE));
    assert!(matches!(result, Err(RemoteFailure::AddressRefused(_))));
    assert_eq!((server.requests().len(), target.count_connections()), (1, 0));
}

#[test]
fn a_name_that_changes_its_address_does_not_reach_internal_addresses() {
    const ALLOWED: [u8; 4] = [127, 0, 0, 1];
    const FORBIDDEN: [u8; 4] = [127, 0, 0, 2];
    let server = TestServer::with_response(HELLO);
    // Both addresses have a server at the same port.
    let target = TcpListener::bind(("127.0.0.2", server.address.port())).unwrap();
    let target = ForbiddenServer(target);
    let name_server =
        start_name_server(&[&[ALLOWED], &[FORBIDDEN], &[FORBIDDEN, ALLOWED], &[FORBIDDEN]]);
    let url = format!("http://rebind.test:{}/", target.port());
    let (mut successes, mut refusals) = (0_usize, 0_usize);
    for _ in 0..16 {
        // A client of its own has no cached address.
        let client = build_client(only_localhost(), vec![name_server]);
        match client.send(&RemoteRequest::get(&url, 100), Deadline::after(PATIENCE)) {
            Ok(response) => successes += usize::from(response.body == b"hello"),
            Err(RemoteFailure::AddressRefused(_)) => refusals += 1,
            Err(failure) => panic!("{failure}"),
        }
    }
    assert!(successes > 0 && refusals > 0, "{successes} {refusals}");
    assert_eq!((server.requests().len(), target.count_connections()), (successes, 0));
}

#[test]
fn a_redirect_to_a_changed_name_is_checked_again() {
    let server = TestServer::start(|_, stream| {
        let port = stream.local_addr().unwrap().port();
        let location = format!("http://rebind.test:{port}/");
        let _ = stream.write_all(redirect(302, &location).as_bytes());
    });
    let target = TcpListener::bind(("127.0.0.2", server.address.port())).unwrap();
    let target = ForbiddenServer(target);
    let name_server = start_name_server(&[&[[127, 0, 0, 1]], &[[127, 0, 0, 2]]]);
    let client = build_client(only_localhost(), vec![name_server]);
    expect_refused_address(&client, &format!("http://rebind.test:{}/", target.port()));
    assert_eq!((server.requests().len(), target.count_connections()), (1, 0));
}
