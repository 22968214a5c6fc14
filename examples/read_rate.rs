//! The same 4 KiB from a bare hyper handler and from our server with a route that does nothing
//! else, to see with `wrk` what routing, worker threads and complete headers cost.
//!
//! `cargo run --release --example read_rate -- --listen 127.0.0.1:9000` listens on two ports: the
//! given one for the bare handler, the next one for the server.
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

static BODY: [u8; 4096] = [b'x'; 4096];

#[derive(Parser)]
struct Options {
    /// Where the bare handler listens; the server takes the next port.
    #[arg(long, default_value = "127.0.0.1:9000")]
    listen: SocketAddr,
    /// Also write the access log to standard error.
    #[arg(long)]
    log: bool,
}

async fn bare(_: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
    Ok(Response::new(Full::new(Bytes::from_static(&BODY))))
}

async fn serve_bare(listen: SocketAddr) -> std::io::Result<()> {
    let listener = tokio::net::TcpListener::bind(listen).await?;
    loop {
        let (socket, _) = listener.accept().await?;
        socket.set_nodelay(true)?;
        tokio::spawn(
            http1::Builder::new().serve_connection(TokioIo::new(socket), service_fn(bare)),
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
    let mut next = options.listen;
    next.set_port(next.port() + 1);
    let data = tempfile::tempdir()?;
    let data_dir = data.path().to_owned();
    let app = App::open(Config { data_dir, listen: next, ..Config::default() })?;
    let bytes: Route = Route {
        method: "GET",
        path: "/bytes",
        pool: Pool::Read,
        body_limit: None,
        security: Security::Open,
        allow_any_origin: false,
        handler: Box::new(|_| {
            Ok(chartroom_platform::http::Response::bytes(
                "application/json",
                Bytes::from_static(&BODY),
            ))
        }),
        describe: |_| {},
        summary: None,
    };
    let ready =
        |address| println!("bare: http://{}/  server: http://{address}/bytes", options.listen);
    let listener = server::bind(app.config.listen)?;
    let service = Service { app, routes: vec![bytes], error_page: None };
    Ok(server::run(listener, service, ready)?)
}
