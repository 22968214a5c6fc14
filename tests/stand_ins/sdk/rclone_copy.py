"""Checks a stand-in with rclone: copies a tree of files there and back.

Usage: rclone_copy.py PROVIDER JSON, where JSON is the line that the program `stand_in PROVIDER` writes. rclone
uses the real host names of the provider. Needs the program rclone.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

import provider_hosts

PROVIDER, STAND_IN = sys.argv[1], json.loads(sys.argv[2])

# The name of the provider in rclone, its hosts with the fields of the addresses in `STAND_IN`, and settings.
BACKENDS = {
    "box": ("box", {"api.box.com": "api_url", "upload.box.com": "content_url"}, {}),
    "dropbox": (
        "dropbox",
        {"api.dropboxapi.com": "api_url", "content.dropboxapi.com": "content_url"},
        {"batch_mode": "off"},
    ),
    "googledrive": ("drive", {"www.googleapis.com": "api_url"}, {"scope": "drive"}),
    "onedrive": (
        "onedrive",
        {"graph.microsoft.com": "api_url"},
        {"drive_type": "business", "drive_id": "b!Stand-In_Drive"},
    ),
}

# The tree: paths with contents. Names have characters with a meaning in URLs and in JSON.
FILES = {
    "numbers.csv": b"month,amount\nJan,1\n",
    "Reports 2026/Größe 'Q1'.chart.json": b'{"format": "chartroom", "format_version": 1}',
    "Reports 2026/deep/a+b & c=d.tsv": "図\t1\n".encode(),
    "Reports 2026/deep/large.bin": bytes(range(256)) * 4_000,
    "empty/nothing.txt": b"",
}


def main():
    kind, hosts, settings = BACKENDS[PROVIDER]
    files = FILES
    if PROVIDER == "dropbox":
        # rclone writes other names into a header as they are, but the documentation demands ASCII there.
        files = {name: content for name, content in FILES.items() if name.isascii()}
    served = provider_hosts.ProviderHosts({host: STAND_IN[field] for host, field in hosts.items()})
    folder = pathlib.Path(tempfile.mkdtemp(prefix="rclone-"))
    config = folder / "rclone.conf"
    # An expired token: rclone refreshes it, and writes the new one to its configuration.
    token = {"access_token": "expired", "token_type": "bearer", "expiry": "2020-01-01T00:00:00Z",
             "refresh_token": STAND_IN["refresh_token"]}
    settings = settings | {
        "type": kind, "token": json.dumps(token), "token_url": STAND_IN["token_url"],
        "client_id": STAND_IN["client_id"], "client_secret": STAND_IN["client_secret"]}
    config.write_text("[remote]\n" + "".join(f"{name} = {value}\n" for name, value in settings.items()))
    environment = {**os.environ, "HTTPS_PROXY": served.proxy, "NO_PROXY": ""}

    def rclone(*arguments):
        """Runs rclone. Returns its output."""
        common = ["--config", config, "--ca-cert", served.ca_file, "--retries", "1", "--low-level-retries", "2",
                  "--checksum", "--timeout", "20s", *os.environ.get("RCLONE_FLAGS", "").split()]
        completed = subprocess.run(["rclone", *arguments, *common], env=environment, text=True,
                                   capture_output=True, timeout=60, check=False)
        if completed.returncode:
            sys.exit(f"rclone {' '.join(map(str, arguments))}: {completed.stderr}")
        if "RCLONE_FLAGS" in os.environ:
            print(completed.stderr, file=sys.stderr)
        return completed.stdout

    def write(root):
        for name, content in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)

    def read(root):
        return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}

    own, copy = folder / "own", folder / "copy"
    write(own)
    rclone("copy", own, "remote:top")
    listed = sorted(rclone("lsf", "-R", "--files-only", "remote:top").splitlines())
    assert listed == sorted(files), listed
    print("copied up and listed", len(listed), "files")
    rclone("check", "--download", own, "remote:top")
    print("compared the contents")
    rclone("copy", "remote:top", copy)
    assert read(copy) == files, read(copy).keys()
    print("copied down the same bytes")

    (own / "numbers.csv").write_bytes(b"month,amount\nJan,2\nFeb,3\n")
    # In a folder that exists rclone asks Box before the upload; else it does so only if another upload created
    # the folder in the meantime.
    (own / "empty/second.csv").write_bytes(b"a,b\n1,2\n")
    rclone("copy", own, "remote:top")
    assert rclone("cat", "remote:top/empty/second.csv") == "a,b\n1,2\n"
    assert rclone("cat", "remote:top/numbers.csv") == "month,amount\nJan,2\nFeb,3\n"
    print("replaced a file")
    rclone("moveto", "remote:top/numbers.csv", "remote:top/empty/moved.csv")
    listed = rclone("lsf", "-R", "--files-only", "remote:top").splitlines()
    assert "empty/moved.csv" in listed and "numbers.csv" not in listed, listed
    print("moved a file")
    rclone("deletefile", "remote:top/empty/moved.csv")
    rclone("deletefile", "remote:top/empty/second.csv")
    rclone("purge", "remote:top/Reports 2026")
    listed = sorted(rclone("lsf", "-R", "remote:top").splitlines())
    assert listed == ["empty/", "empty/nothing.txt"], listed
    print("deleted a file and a folder with its content")
    rewritten = dict(line.split(" = ", 1) for line in config.read_text().splitlines() if " = " in line)
    assert json.loads(rewritten["token"])["access_token"] != "expired"
    print("refreshed the token")


main()
