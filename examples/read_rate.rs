//! Serves the same 4 KiB from a bare hyper handler and from our server with a single route, to
//! measure with `wrk` the cost of routing, worker threads and complete headers.
//!
//! `cargo run --release --example read_rate -- --listen 127.0.0.1:9000` listens on two ports: the
//! bare handler on the given port, the server on the next one.
//!
//! `wrk -t1 -c64 -d10s http://127.0.0.1:9000/` and `wrk -t1 -c64 -d10s http://127.0.0.1:9001/bytes`

use std::convert::Infallible;
use std::net::SocketAddr;
use std::thread;

use chartroom::app::App;
use chartroom_platform::config::Config;
use chartroom_platform::config::LogFormat;
use chartroom_platform::http::Pool;
use chartroom_platform::http::Route;
use chartroom_platform::http::Security;
use chartroom_platform::http::Service;
use chartroom_platform::http::server;
use chartroom_platform::log;
use clap::Parser;
use http_body_util::Full;
use hyper::Request;
use hyper::Response;
use hyper::body::Bytes;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;

static RESPONSE_BODY: [u8; 4096] = [b'x'; 4096];

#[derive(Parser)]
struct Options {
    /// Address of the bare handler. The server listens on the next port.
    #[arg(long, default_value = "127.0.0.1:9000")]
    listen: SocketAddr,
    /// Also write the access log to standard error.
    #[arg(long)]
    log: bool,
}

async fn handle_bare(_: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
    Ok(Response::new(Full::new(Bytes::from_static(&RESPONSE_BODY))))
}

async fn serve_bare(listen: SocketAddr) -> std::io::Result<()> {
    let listener = tokio::net::TcpListener::bind(listen).await?;
    loop {
        let (socket, _) = listener.accept().await?;
        socket.set_nodelay(true)?;
        tokio::spawn(
            http1::Builder::new().serve_connection(TokioIo::new(socket), service_fn(handle_bare)),
        );
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let options = Options::parse();
    let _log = options.log.then(|| log::start("info", LogFormat::Auto)).transpose()?;
    thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
        runtime.block_on(serve_bare(options.listen))
    });
    let mut server_address = options.listen;
    server_address.set_port(server_address.port() + 1);
    let temp_dir = tempfile::tempdir()?;
    let data_dir = temp_dir.path().to_owned();
    let app = App::open(Config { data_dir, listen: server_address, ..Config::default() })?;
    let route: Route = Route {
        method: "GET",
        path: "/bytes",
        pool: Pool::Read,
        is_write: None,
        body_limit: None,
        security: Security::Open,
        allow_any_origin: false,
        access_check: None,
        handler: Box::new(|_| {
            Ok(chartroom_platform::http::Response::bytes(
                "application/json",
                Bytes::from_static(&RESPONSE_BODY),
            ))
        }),
        describe: |_| {},
        summary: None,
    };
    let print_addresses =
        |address| println!("bare: http://{}/  server: http://{address}/bytes", options.listen);
    let listener = server::bind(app.config.listen)?;
    let service = Service { app, routes: vec![route], error_page: None };
    Ok(server::run(listener, service, print_addresses)?)
}
