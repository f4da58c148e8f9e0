"""The region, its contracts, and the process that runs it."""

import base64
import json
import os
import re
import shlex
import shutil
import subprocess
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

START_NAME = "kit-start"
START_LIMIT_S = 60.0
WORK_LIMIT_S = 60.0
UNITS_MS = {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}

# The region is on this machine: no proxy of the environment is asked.
_direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class CallFailed(Exception):
    """A call that the region refused, with its status and what it said."""

    def __init__(self, method, path, status, body):
        messages = body.get("messages", []) if isinstance(body, dict) else []
        said = "; ".join(one.get("message", "") for one in messages) or str(body)
        super().__init__(f"{method} {path}: {status} {said}")
        self.status = status
        self.body = body


class Account:
    """What a test needs of an account: an address, a token, and calls with it."""

    def __init__(self, url, token, contract_number, owner=None):
        self.url = url
        self.token = token
        self.contract_number = contract_number
        self._owner = owner  # e-mail and password; without them the token can't be renewed

    def renew_token(self):
        """A new token in place of one that has expired. Calls from here do it themselves; clients that have `token` or
        `env()` of before need it."""
        if self._owner is None:
            raise RuntimeError("The token of a region that was started elsewhere is not renewed from here.")
        self.token = _new_token(self.url, *self._owner)

    def env(self):
        """Variables that ionosctl, Terraform and the SDKs read."""
        return {"IONOS_API_URL": self.url, "IONOS_TOKEN": self.token}

    def s3_env(self):
        """Variables of S3 clients, with a new key."""
        made = self.call("POST", "/objectstorage-management/accesskeys", {"properties": {}})["properties"]
        return {
            "AWS_ENDPOINT_URL_S3": self.url,
            "AWS_ACCESS_KEY_ID": made["accessKey"],
            "AWS_SECRET_ACCESS_KEY": made["secretKey"],
            "AWS_REGION": "eu-central-3",
            "AWS_DEFAULT_REGION": "eu-central-3",
        }

    def call(self, method, path, body=None):
        """A call of the API: the answer's JSON. Raises CallFailed where the region refuses it."""
        token = self.token
        try:
            return _call(self.url, method, path, f"Bearer {token}", body)
        except CallFailed as error:
            if error.status != 401 or self._owner is None:
                raise
        if token == self.token:  # else another call has renewed it
            self.renew_token()
        return _call(self.url, method, path, f"Bearer {self.token}", body)


class Contract(Account):
    """A separate contract for one test."""

    def __init__(self, url, made):
        super().__init__(url, made["token"], made["contract"], (made["email"], made["password"]))
        self.email = made["email"]
        self.password = made["password"]


class Region(Account):
    """A region. One that was started here ends with this process, however that ends."""

    def __init__(self, url, token, contract_number, services, process=None, owner=None, seed=None):
        super().__init__(url, token, contract_number, owner)
        self.services = services
        self._seed = None if seed is None else os.path.abspath(seed)
        self._process = process

    def contract(self):
        """Creates a contract with its own owner: tests with a contract each do not see each other."""
        return Contract(self.url, self.call("POST", "/lab/contracts"))

    def reset(self):
        """As it was when it had started, with its seed."""
        if self._process is None:
            raise RuntimeError("This region was started elsewhere, and others may use it, so it can't be reset.")
        self.restore(START_NAME)

    def save_point(self, name):
        self._work("/lab/savepoints", {"name": name})

    def restore(self, name):
        self._work(f"/lab/savepoints/{urllib.parse.quote(name, safe='')}/restore")

    def advance(self, duration):
        """Moves the clock: advance("1h"), advance("36d"). A token of the region that expires by that is renewed."""
        self.call("PUT", "/lab/clock", {"advanceMs": _milliseconds(duration)})
        self.call("GET", "/lab/clock")

    def fault(self, **fault):
        """Adds a fault to the planted ones: fault(kind="datacenter", step="create.*", mode="fail")."""
        planted = self.call("GET", "/lab/faults")["faults"]
        self.call("PUT", "/lab/faults", {"faults": [*planted, fault]})

    def clear_faults(self):
        self.call("PUT", "/lab/faults", {"faults": []})

    def wait_until_idle(self):
        """Until no operation is under way."""
        while self.call("GET", "/lab/idle")["running"] > 0:
            pass

    def share(self):
        """For processes that are started from here: their start_region() finds this one."""
        os.environ["CUMULET_URL"] = self.url
        os.environ["CUMULET_TOKEN"] = self.token
        os.environ.pop("CUMULET_SEEDED", None)
        if self._seed is not None:
            os.environ["CUMULET_SEEDED"] = self._seed

    def stop(self):
        if self._process is not None:
            self._process.stop()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def _work(self, path, body=None):
        begun = self.call("POST", path, body)["id"]
        until = time.monotonic() + WORK_LIMIT_S
        while True:
            try:
                last = self.call("GET", "/lab/savepoints").get("last") or {}
            except (OSError, CallFailed):  # it is stopped for a moment
                last = {}
            if last.get("id") == begun and last["state"] == "DONE":
                return
            if last.get("id") == begun and last["state"] == "FAILED":
                raise RuntimeError(last.get("message"))
            if time.monotonic() > until:
                raise TimeoutError(f"{path} did not finish within {WORK_LIMIT_S} s.")
            time.sleep(0.005)


def start_region(seed=None, pace=0, args=(), env=None, command=None):
    """Starts a region in a new folder, or finds the one that CUMULET_URL and CUMULET_TOKEN name."""
    url = os.environ.get("CUMULET_URL")
    if url:
        return _found(url.rstrip("/"), os.environ.get("CUMULET_TOKEN"), seed, os.environ.get("CUMULET_SEEDED"))
    process = _Process(seed, pace, args, env or {}, command or _installed())
    try:
        ready = process.ready(START_LIMIT_S)
        url, owner = ready["gateway"], (ready["owner"]["email"], ready["owner"]["password"])
        region = Region(url, _new_token(url, *owner), ready["contract"], ready["services"], process, owner, seed)
        region.save_point(START_NAME)
        return region
    except BaseException:
        process.stop()
        raise


def _found(url, token, seed, seeded):
    if not token:
        raise RuntimeError(f"CUMULET_URL names the region at {url}, but there is no CUMULET_TOKEN of its owner.")
    if seed is not None and (not seeded or os.path.abspath(seed) != os.path.abspath(seeded)):
        raise RuntimeError(
            "The region that CUMULET_URL names was started elsewhere and is not filled from here: seed it there, "
            f"and say so with CUMULET_SEEDED={os.fspath(seed)}."
        )
    try:
        contracts = Account(url, token, 0).call("GET", "/cloudapi/v6/contracts?depth=1")
    except (OSError, ValueError, CallFailed) as error:
        raise RuntimeError(f"The region at CUMULET_URL, {url}, can't be used: {error}") from error
    return Region(url, token, contracts["items"][0]["properties"]["contractNumber"], {}, seed=seed)


class _Process:
    """Ends with us, however we end: it watches the pipe to its standard input."""

    def __init__(self, seed, pace, args, env, command):
        own = ["up", "--ephemeral", "--json", "--port", "0", "--pace", str(pace)]
        if seed is not None:
            own += ["--seed", os.fspath(seed)]
        self._errors = []
        self._child = subprocess.Popen(
            [*command, *own, *args],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **env},
            text=True,
        )
        threading.Thread(target=self._read_errors, daemon=True).start()

    def _read_errors(self):
        for line in self._child.stderr:
            self._errors.append(line)
            del self._errors[:-200]

    def ready(self, limit_s):
        found = []
        is_ready = threading.Event()

        def read():
            for line in self._child.stdout:
                event = _json(line)
                if isinstance(event, dict) and event.get("event") == "ready":
                    found.append(event)
                    is_ready.set()
            is_ready.set()  # it ended

        threading.Thread(target=read, daemon=True).start()
        is_ready.wait(limit_s)
        if not found:
            raise RuntimeError("The region did not start:\n" + "".join(self._errors))
        return found[0]

    def stop(self):
        try:
            self._child.stdin.close()
        except OSError:
            pass
        if os.name != "nt":  # there it would be killed at once, and leave its folder
            self._child.terminate()
        try:
            self._child.wait(30)
        except subprocess.TimeoutExpired:
            self._child.kill()
            self._child.wait()


def _installed():
    given = os.environ.get("CUMULET_BIN")
    if given:
        return shlex.split(given)
    program = shutil.which("cumulet")
    if program is None:
        raise RuntimeError("The program cumulet is not on the PATH: install it, or name it by CUMULET_BIN.")
    return [program]


def _call(url, method, path, authorization, body=None):
    request = urllib.request.Request(url + path, method=method)
    request.add_header("Authorization", authorization)
    data = None
    if body is not None:
        data = json.dumps(body).encode()
        request.add_header("Content-Type", "application/json")
    try:
        with _direct.open(request, data) as answer:
            return _json(answer.read().decode())
    except urllib.error.HTTPError as error:
        with error:
            raise CallFailed(method, path, error.code, _json(error.read().decode())) from None


def _new_token(url, email, password):
    basic = base64.b64encode(f"{email}:{password}".encode()).decode()
    return _call(url, "GET", "/auth/v1/tokens/generate", f"Basic {basic}")["token"]


def _json(text):
    try:
        return json.loads(text)
    except ValueError:
        return text


def _milliseconds(duration):
    if isinstance(duration, (int, float)):
        return int(duration)
    parts = re.findall(r"(\d+(?:\.\d+)?)(ms|s|m|h|d)", duration)
    if not parts or "".join(count + unit for count, unit in parts) != duration:
        raise ValueError(f"A time such as 1h, 90m or 2d12h is expected, not {duration!r}.")
    return int(sum(float(count) * UNITS_MS[unit] for count, unit in parts))
