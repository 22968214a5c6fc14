"""A server with TLS that forwards requests to a server without it, for SDKs that force https."""

import http.client
import http.server
import pathlib
import ssl
import subprocess
import tempfile
import threading
import urllib.parse

# Headers of one connection, which are not forwarded.
HOP_HEADERS = {"connection", "keep-alive", "transfer-encoding", "host", "content-length"}


def create_certificate():
    """Creates a self-signed certificate for the loopback address. Returns it and its key as files."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="stand-in-tls-"))
    certificate, key = folder / "certificate.pem", folder / "key.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
         "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost",
         "-keyout", str(key), "-out", str(certificate)],
        check=True, capture_output=True)
    return certificate, key


def make_handler(find_target):
    """Returns a handler that forwards to the URL that `find_target` returns for the host of a request."""

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def forward(self):
            body = self.read_body()
            host = self.headers.get("Host", "")
            address = urllib.parse.urlsplit(find_target(host)).netloc
            connection = http.client.HTTPConnection(address, timeout=60)
            headers = {name: value for name, value in self.headers.items()
                       if name.lower() not in HOP_HEADERS}
            headers |= {"Host": host, "X-Forwarded-Proto": "https"}
            connection.request(self.command, self.path, body, headers)
            response = connection.getresponse()
            content = response.read()
            connection.close()
            self.send_response_only(response.status, response.reason)
            for name, value in response.getheaders():
                if name.lower() not in HOP_HEADERS:
                    self.send_header(name, value)
            if response.status not in (204, 304):
                self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def read_body(self):
            if "chunked" not in self.headers.get("Transfer-Encoding", ""):
                return self.rfile.read(int(self.headers.get("Content-Length", 0)))
            chunks = []
            while length := int(self.rfile.readline().split(b";")[0], 16):
                chunks.append(self.rfile.read(length))
                self.rfile.readline()
            self.rfile.readline()
            return b"".join(chunks)

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = do_OPTIONS = forward

        def log_message(self, *_):
            pass

    return Handler


def start(target_url, files=None):
    """Starts a forwarder in the background. Returns its port and the file with its CA.

    `files` is a certificate with its key, so that several forwarders share one CA.
    """
    certificate, key = files or create_certificate()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), make_handler(lambda _: target_url))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address[1], str(certificate)
