"""stickslip serve with real clients: python3 serve.py STICKSLIP FOLDER.

What is asked for is answered or refused; nothing outside the folder comes out, nothing is written into it, the
server neither crashes nor waits for a client that stalls, and ends when it is told to."""
import concurrent.futures, contextlib, hashlib, http.client, json, os, pathlib, re, select, shutil, signal, socket
import subprocess, sys, time, urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "cli"))
import schema

stickslip, folder = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
SECRET = b"outside the folder"
HOSTILE = ["<script>alert(1)<", "quote\"'&amp;.json", "new\nline.h5", "\u202egnp.h5", "%2e%2e", "a b?c#d.txt", "javascript:alert(1).html",
           "-rf.h5", os.fsdecode(b"not utf8 \xff.txt"), "back\\slash.txt", "\u2028.html"]


def make_folder():
    shutil.rmtree(folder, ignore_errors=True)
    here = folder / "served"
    (here / "deep/er").mkdir(parents=True)
    (folder / "secret.txt").write_bytes(SECRET)
    (folder / "served-not").mkdir()
    (folder / "served-not/secret.txt").write_bytes(SECRET)
    (here / "deep/er/note.txt").write_text("a note")
    (here / ".hidden").write_bytes(SECRET)
    (here / "out.txt").symlink_to("../secret.txt")
    (here / "out-absolute.txt").symlink_to(folder / "secret.txt")
    (here / "out-folder").symlink_to("..")
    (here / "loop").symlink_to("loop")
    (here / "out.h5").symlink_to(folder / "outside.h5")
    (here / "out-run.h5.parts").symlink_to(folder / "outside.h5.parts")
    os.mkfifo(here / "pipe.txt")
    (here / "empty.h5").write_bytes(b"")
    (here / "scene.html").write_text("<script>fetch('/')</script>")
    for name in HOSTILE:
        (here / name).write_text("hostile")
    run("simulate", "house-of-cards", "--duration", "0.05", "-o", str(here / "cards.h5"))
    (here / "info.json").write_text(run("info", "--json"))
    shutil.copy(here / "cards.h5", folder / "outside.h5")
    (here / "cut.h5").write_bytes((here / "cards.h5").read_bytes()[:3000])
    return here


def run(*arguments):
    return subprocess.run([stickslip, *arguments], check=True, capture_output=True, text=True).stdout


@contextlib.contextmanager
def serving(here):
    server = subprocess.Popen([stickslip, "serve", str(here), "--port", "0", "--idle", "4", "--json"], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True)
    said = ""
    while not said.rstrip().endswith("}"):
        line = server.stdout.readline()
        assert line, server.stderr.read()
        said += line
    try:
        found = json.loads(said)
        assert not schema.complaint(found), schema.complaint(found)
        yield found, server
    finally:
        if server.poll() is None:
            server.send_signal(signal.SIGTERM)
        rest, errors = server.communicate(timeout=600)
        assert server.returncode == 0, (server.returncode, errors)
        assert not rest and not errors, (rest, errors)


class Client:
    def __init__(self, address):
        self.host, self.port = "127.0.0.1", urllib.parse.urlparse(address).port

    def ask(self, path, method="GET", headers=None, body=None, timeout=60):
        c = http.client.HTTPConnection(self.host, self.port, timeout=timeout)
        c.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        for name, value in {"Host": f"127.0.0.1:{self.port}", **(headers or {})}.items():
            c.putheader(name, value)
        c.endheaders(body)
        answer = c.getresponse()
        answer.content = answer.read()
        c.close()
        return answer

    def raw(self, data, timeout=60):
        with socket.create_connection((self.host, self.port), timeout=timeout) as s:
            got = b""
            with contextlib.suppress(OSError):  # it may have closed the connection already
                s.sendall(data)
                s.shutdown(socket.SHUT_WR)
                while more := s.recv(65536):
                    got += more
            return got


def test_what_is_there(client):
    listing = client.ask("/")
    assert listing.status == 200 and b"cards.h5" in listing.content and b".hidden" not in listing.content
    assert b"link, not followed" in listing.content and b"pipe.txt" not in listing.content
    assert b'/folder/deep/er"' in client.ask("/folder/deep").content
    assert b"/file/deep/er/note.txt" in client.ask("/folder/deep/er/").content
    note = client.ask("/file/deep/er/note.txt")
    assert note.status == 200 and note.content == b"a note" and "sandbox" in note.headers["Content-Security-Policy"]
    page = client.ask("/page/cards.h5")
    assert page.status == 200 and b'id="payload"' in page.content and "connect-src 'self'" in page.headers["Content-Security-Policy"]
    again = client.ask("/page/cards.h5", headers={"If-None-Match": page.headers["ETag"]})
    assert again.status == 304 and not again.content
    assert client.ask("/page/cards.h5", method="HEAD").headers["ETag"] == page.headers["ETag"]
    assert client.ask("/page/info.json").status == 200
    for answer in (listing, note, page):
        assert answer.headers["X-Content-Type-Options"] == "nosniff" and answer.headers["X-Frame-Options"] == "DENY"
        assert answer.headers["Cross-Origin-Resource-Policy"] == "same-origin"


def test_one_connection(client):
    """Answers without a content leave nothing behind that would be taken for the next one."""
    c = http.client.HTTPConnection(client.host, client.port, timeout=30)
    for method, path, status in [("HEAD", "/page/cards.h5", 200), ("GET", "/file/deep/er/note.txt", 200), ("GET", "/favicon.ico", 204),
                                 ("HEAD", "/", 200), ("GET", "/nothing", 404), ("HEAD", "/file/cards.h5", 200), ("GET", "/", 200)]:
        c.request(method, path)
        answer = c.getresponse()
        content = answer.read()
        assert answer.status == status and bool(content) == (method == "GET" and status != 204), (method, path, answer.status, len(content))
        assert not select.select([c.sock], [], [], 0.05)[0] if c.sock else True, f"{method} {path} says more than its answer"
    c.close()


def test_bad_files(client):
    for name in ("cut.h5", "empty.h5"):
        answer = client.ask(f"/page/{name}")
        assert answer.status == 422 and name.encode() in answer.content, (name, answer.status, answer.content[-300:])


def test_nothing_outside(client):
    ways = ["/../secret.txt", "/file/../secret.txt", "/file/../../secret.txt", "/file/deep/../../secret.txt", "/file/%2e%2e/secret.txt",
            "/file/..%2fsecret.txt", "/file/%2e%2e%2fsecret.txt", "/file/%252e%252e/secret.txt", "/file/..%5csecret.txt", "/file/.%2e/secret.txt",
            "/file//" + str(folder / "secret.txt"), "/file/" + str(folder / "secret.txt"), "/file/..%00/secret.txt", "/file/out.txt",
            "/file/secret.txt%00.html", "/file/out-absolute.txt", "/file/out-folder/secret.txt", "/folder/out-folder", "/file/loop", "/page/out.h5",
            "/page/out-run.h5", "/file/.hidden", "/file/deep/.%2e/.%2e/secret.txt", "/file/..\\secret.txt", "/file/%c0%ae%c0%ae/secret.txt",
            "/file/pipe.txt", "/page/pipe.txt", "/folder/..", "/folder/%2e%2e", "/file/../served-not/secret.txt", "/file/%", "/file/%zz",
            "/file/" + "a" * 300, "/file/" + "a/" * 2000, "/page/", "/page", "/file", "/nothing", "/file/deep", "/page/deep", "//"]
    for way in ways:
        answer = client.ask(way.replace(" ", "%20"))
        assert answer.status in (400, 404, 414, 431), (way, answer.status)
        assert SECRET not in answer.content, way
    for line in (b"GET file:///etc/passwd HTTP/1.1", b"GET http://127.0.0.1/../secret.txt HTTP/1.1", b"GET ../secret.txt HTTP/1.1"):
        got = client.raw(line + b"\r\nHost: 127.0.0.1:%d\r\nConnection: close\r\n\r\n" % client.port)
        assert SECRET not in got and b"root:" not in got and b" 200 " not in got[:20], got[:200]


def test_only_for_this_address(client):
    good = [f"127.0.0.1:{client.port}", f"localhost:{client.port}", f"LOCALHOST:{client.port}"]
    bad = ["evil.example", f"evil.example:{client.port}", "127.0.0.1", "127.0.0.1:1", f"127.0.0.1:{client.port}.evil.example", "",
           f"127.0.0.1.evil.example:{client.port}", f"localhost:{client.port}@evil.example"]
    for host in good:
        assert client.ask("/", headers={"Host": host}).status == 200, host
    for host in bad:
        assert client.ask("/", headers={"Host": host}).status == 403, host
    assert b" 200 " not in client.raw(b"GET / HTTP/1.1\r\n\r\n")[:20]
    assert b" 200 " not in client.raw(b"GET / HTTP/1.0\r\n\r\n")[:20]
    two = b"GET / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nHost: evil.example\r\nConnection: close\r\n\r\n" % client.port
    assert b" 200 " not in client.raw(two)[:20]
    assert client.ask("/", headers={"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}).status == 403
    assert client.ask("/", headers={"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}).status == 200


def test_only_looking(client):
    for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "PROPFIND", "get"):
        answer = client.ask("/file/deep/er/note.txt", method=method, headers={"Content-Length": "3"}, body=b"abc")
        assert answer.status in (405, 501), (method, answer.status)
    assert client.ask("/", headers={"Content-Length": "3"}, body=b"abc").status == 200  # a body means nothing


def test_hostile_names(client):
    listing = client.ask("/").content.decode()
    assert "<script" not in listing and "alert(1)&lt;" in listing
    assert "[U+202E]gnp.h5" in listing and "new[U+000A]line.h5" in listing and "\u202e" not in listing
    for name in HOSTILE:
        encoded = urllib.parse.quote(os.fsencode(name), safe="")
        assert f'/{encoded}"' in listing, encoded
        answer = client.ask(f"/file/{encoded}")
        assert answer.status == 200 and answer.content == b"hostile", (name, answer.status)
        assert "script" not in answer.headers["Content-Type"]
        made = client.ask(f"/page/{encoded}")
        assert made.status == 422 and b"<script>alert" not in made.content, (name, made.status)


def test_garbage(client):
    for data in (b"\0" * 5000, b"GET\r\n\r\n", b"G" * 100000, b"GET / HTTP/9.9\r\n\r\n", b"\r\n" * 1000, b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 9000,
                 b"GET /%00 HTTP/1.1\r\nHost: a\0b\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"):
        client.raw(data, timeout=1)
    assert client.ask("/").status == 200


def test_thousand(client):
    """A thousand connections at once, each asking for something."""
    paths = ["/", "/page/cards.h5", "/file/deep/er/note.txt", "/file/%2e%2e/secret.txt", "/file/cards.h5"]
    expected = [200, 200, 200, 404, 200]
    open_now = []
    for k in range(1000):
        s = socket.create_connection((client.host, client.port), timeout=120)
        open_now.append((k, s))
    for k, s in open_now:
        s.sendall(f"GET {paths[k % 5]} HTTP/1.1\r\nHost: 127.0.0.1:{client.port}\r\nConnection: close\r\n\r\n".encode())

    def take(item):
        k, s = item
        answer = http.client.HTTPResponse(s)
        answer.begin()
        content = answer.read()
        s.close()
        return answer.status == expected[k % 5] and (k % 5 != 1 or b'id="payload"' in content)

    with concurrent.futures.ThreadPoolExecutor(50) as pool:
        good = sum(pool.map(take, open_now))
    assert good == 1000, good


def test_stalled(client):
    """Clients that say half a request, or do not take their answer, hold up nobody, and are let go."""
    stalled = []
    for data in (b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost:", b"GET /page/cards.h5 HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n" % client.port):
        for _ in range(20):
            s = socket.socket()
            s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
            s.settimeout(60)
            s.connect((client.host, client.port))
            if data:
                s.sendall(data)
            stalled.append(s)
    begin = time.monotonic()
    for _ in range(20):
        assert client.ask("/").status == 200
        assert client.ask("/page/cards.h5").status == 200
    assert time.monotonic() - begin < 10, "others wait for clients that stall"
    return stalled, time.monotonic()


def test_let_go(stalled):
    sockets, since = stalled
    for s in sockets:
        with contextlib.suppress(ConnectionResetError):
            while s.recv(65536):
                pass
        s.close()
    assert time.monotonic() - since < 30, "clients that stall are not let go"


def test_run_being_written(client, here):
    """A run that is going on: the part that is there, and more of it later; then the whole."""
    scene = json.dumps({"dim": 3, "materials": [{"name": "rock", "mu": 0.5, "density": 2500}],
                        "bodies": [{"name": f"ball {k}", "shape": {"kind": "sphere", "radius": 0.2}, "position": [0.1 * k, 0, 0.3 + 0.5 * k]}
                                   for k in range(8)],
                        "externals": [{"name": "floor", "shape": {"kind": "plane"}}],
                        "stepping": {"step": 0.001, "duration": 60}})
    (folder / "slow.json").write_text(scene)
    writer = subprocess.Popen([stickslip, "simulate", str(folder / "slow.json"), "-q", "--save-every", "0.2", "-o", str(here / "slow.h5")],
                              stdout=subprocess.DEVNULL)
    try:
        first = wait_for(client, "/page/slow.h5", lambda a: a.status == 200)
        assert frames_of(first) > 0 and not finished(first)
        assert b"run, not finished" in client.ask("/").content
        more = wait_for(client, "/page/slow.h5", lambda a: a.status == 200 and steps_of(a) > steps_of(first))
        assert more.headers["ETag"] != first.headers["ETag"]
    finally:
        writer.send_signal(signal.SIGTERM)
        writer.wait(30)
    assert not finished(wait_for(client, "/page/slow.h5", lambda a: a.status == 200))
    # finished while somebody looks
    run("simulate", str(folder / "slow.json"), "-q", "--resume", "--duration", "0.02", "-o", str(here / "short.h5"))
    assert finished(client.ask("/page/short.h5"))


def wait_for(client, path, good):
    until = time.monotonic() + 60
    while time.monotonic() < until:
        answer = client.ask(path)
        if good(answer):
            return answer
        assert answer.status in (200, 404, 422), answer.status
        time.sleep(0.1)
    raise AssertionError(f"{path}: never became what was expected")


def payload(answer):
    return json.loads(re.search(rb'id="payload">(.*?)</script>', answer.content, re.S)[1])["sections"][0]


def frames_of(answer):
    return len(payload(answer)["frames"])


def steps_of(answer):
    return payload(answer)["steps"]


def finished(answer):
    return payload(answer)["finished"]


def contents(here):
    """Names, sizes, times and bytes of all that is in the folder."""
    rows = []
    for path in sorted(here.rglob("*"), key=os.fsencode):
        st = path.lstat()
        digest = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() and not path.is_symlink() else ""
        rows.append((os.fsencode(path), st.st_mode, st.st_size, st.st_mtime_ns, digest))
    return rows


def test_busy_end(here):
    """Told to end while pages are being made and clients wait: it ends at once."""
    with serving(here) as (said, server):
        client = Client(said["address"])
        waiting = []
        for k in range(50):
            s = socket.create_connection((client.host, client.port), timeout=30)
            s.sendall(b"GET /page/cards.h5 HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n" % client.port)
            waiting.append(s)
        begin = time.monotonic()
        server.send_signal(signal.SIGINT)
        server.wait(20)
        assert time.monotonic() - begin < 10
        for s in waiting:
            s.close()


def test_usage(here):
    for arguments, status, text in ([["nowhere"], 3, "nowhere"], [[str(here / "cards.h5")], 3, "cards.h5"], [[], 2, "DIR"],
                                    [[str(here), "--port", "70000"], 2, "port"]):
        done = subprocess.run([stickslip, "serve", *arguments], capture_output=True, text=True, timeout=600)
        assert done.returncode == status and text in done.stderr, (arguments, done.returncode, done.stderr)
    with serving(here) as (said, _):
        port = str(Client(said["address"]).port)
        taken = subprocess.run([stickslip, "serve", str(here), "--port", port], capture_output=True, text=True, timeout=600)
        assert taken.returncode == 4 and port in taken.stderr, taken.stderr


def main():
    if '"microhttpd": true' not in run("info", "--json") or '"viewer": true' not in run("info", "--json"):
        print("skipped: this build has no HTTP server or no viewer")
        sys.exit(77)
    here = make_folder()
    before = contents(here)
    with serving(here) as (said, server):
        client = Client(said["address"])
        stalled = None
        for test in (test_what_is_there, test_one_connection, test_bad_files, test_nothing_outside, test_only_for_this_address, test_only_looking,
                     test_hostile_names, test_garbage, test_thousand, test_stalled):
            begin = time.monotonic()
            stalled = test(client) or stalled
            assert server.poll() is None, f"the server ended in {test.__name__}"
            print(f"ok {test.__name__} {time.monotonic() - begin:.1f} s", flush=True)
        assert contents(here) == before, "something was written into the folder"
        test_run_being_written(client, here)
        print("ok test_run_being_written", flush=True)
        test_let_go(stalled)
        print("ok test_let_go", flush=True)
        assert client.ask("/").status == 200
    test_busy_end(here)
    test_usage(here)
    print("ok")


main()
