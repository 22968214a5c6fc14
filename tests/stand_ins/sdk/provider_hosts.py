"""The hosts of the providers on this machine: TLS in front of the stand-ins.

Usage: provider_hosts.py ADDRESS JSON. ADDRESS is the IPv4 address that serves the hosts at port 443. JSON maps
host names to the URLs of stand-ins without TLS. Writes one line of JSON: `proxy` is the URL of a proxy for the
method CONNECT, which reaches the same hosts, and `ca_file` the certificate of the authority that signs them.
Ends with its input.

The module is for programs that reach the hosts through the proxy only.
"""

import http.server
import json
import pathlib
import ssl
import subprocess
import sys
import tempfile
import threading

import tls_forwarder


def create_authority(hosts):
    """Creates an authority, and a certificate of it for the hosts.

    Returns the file of the authority, that of the certificate, and that of its key.
    """
    folder = pathlib.Path(tempfile.mkdtemp(prefix="provider-hosts-"))

    def run(*arguments):
        subprocess.run(["openssl", *arguments], check=True, capture_output=True, cwd=folder)

    run("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=Test authority",
        "-addext", "keyUsage=critical,keyCertSign", "-keyout", "ca.key", "-out", "ca.pem")
    run("req", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=Test server", "-keyout", "server.key",
        "-out", "server.csr")
    names = ",".join(f"DNS:{host}" for host in hosts)
    (folder / "extensions").write_text(
        f"subjectAltName={names}\nbasicConstraints=CA:FALSE\nextendedKeyUsage=serverAuth\n")
    run("x509", "-req", "-in", "server.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-days", "2",
        "-extfile", "extensions", "-out", "server.pem")
    return folder / "ca.pem", folder / "server.pem", folder / "server.key"


class ProviderHosts:
    """The hosts. `targets` maps their names to the URLs of stand-ins, and can be changed later."""

    def __init__(self, targets):
        self.targets = targets
        self.ca_file, certificate, key = create_authority(targets)
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(certificate, key)
        self.handler = tls_forwarder.make_handler(lambda host: targets[host])
        self.proxy = self._start(("127.0.0.1", 0), self._make_proxy())

    def listen(self, address):
        """Serves the hosts at port 443 of an address."""
        server = http.server.ThreadingHTTPServer((address, 443), self.handler)
        server.socket = self.context.wrap_socket(
            server.socket, server_side=True, do_handshake_on_connect=False)
        threading.Thread(target=server.serve_forever, daemon=True).start()

    def _make_proxy(self):
        """Returns the handler of the proxy, which ends the TLS of the client itself."""
        hosts = self

        class Proxy(http.server.BaseHTTPRequestHandler):
            def do_CONNECT(self):
                host = self.path.partition(":")[0]
                if host not in hosts.targets:
                    print(f"the client wants to reach {host}", file=sys.stderr)
                    self.send_error(502)
                    return
                self.send_response_only(200)
                self.end_headers()
                with hosts.context.wrap_socket(self.connection, server_side=True) as tls:
                    hosts.handler(tls, self.client_address, self.server)
                self.close_connection = True

            def log_message(self, *_):
                pass

        return Proxy

    @staticmethod
    def _start(address, handler):
        """Starts a server in the background. Returns its URL."""
        server = http.server.ThreadingHTTPServer(address, handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return f"http://{server.server_address[0]}:{server.server_address[1]}"


def main():
    """Serves the hosts of the arguments until the end of the input."""
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    hosts = ProviderHosts(json.loads(sys.argv[2]))
    hosts.listen(sys.argv[1])
    print(json.dumps({"proxy": hosts.proxy, "ca_file": str(hosts.ca_file)}), flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
