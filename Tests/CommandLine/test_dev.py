"""`seleid dev`: one command, one folder, and nothing left behind."""

import json
import os
import re
import shutil
import signal
import stat
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests

from support import Dev, run_seleid


def postgres_processes(data: Path) -> list[int]:
    """Processes that work in the cluster of this data directory."""
    places = {str((data / "cluster").resolve())}
    note = data / "cluster-location"
    if note.exists():
        places.add(note.read_text().strip())
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            if os.readlink(entry / "cwd") in places:
                found.append(int(entry.name))
        except OSError:
            pass
    return found


def socket_directory(data: Path) -> Path:
    return Path((data / "socket-directory").read_text().strip())


@pytest.fixture
def data() -> Iterator[Path]:
    """A folder that the user postgres can reach, as a person's own would be (pytest's are closed to other users)."""
    with tempfile.TemporaryDirectory(prefix="seleid-dev-", dir="/tmp", ignore_cleanup_errors=True) as folder:
        os.chmod(folder, 0o755)
        yield Path(folder) / "data"


def test_ready_line_names_the_issuer_and_nothing_else(data):
    with Dev(data=data) as dev:
        assert dev.ready_line == f"ready http://127.0.0.1:{dev.port}"
        assert requests.get(dev.url("/readyz"), timeout=5).status_code == 200
        assert requests.get(dev.url("/healthz"), timeout=5).status_code == 200


def test_sigterm_stops_postgresql_too_and_a_restart_keeps_the_data(data):
    with Dev(data=data) as dev:
        assert postgres_processes(data)
        before = dev.admin("export").stdout
        master_key = (data / "master.key").read_text()
        sockets = socket_directory(data)
    assert postgres_processes(data) == []
    assert not sockets.exists()

    with Dev(data=data, port=dev.port, apply=()) as dev:
        assert dev.admin("export").stdout == before
        assert (data / "master.key").read_text() == master_key


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP])
def test_ctrl_c_and_a_closed_terminal_stop_it_as_well(data, number):
    dev = Dev(data=data).start()
    os.kill(dev.process.pid, number)
    assert dev.process._process.wait(30) == 0
    assert postgres_processes(data) == []


def test_secrets_are_for_the_owner_only(data):
    with Dev(data=data):
        for name in ("master.key", "database-url", "admin-token"):
            assert stat.S_IMODE((data / name).stat().st_mode) == 0o600, name
        assert stat.S_IMODE(socket_directory(data).stat().st_mode) == 0o700


def admin_api(dev: Dev, data: Path) -> int:
    """The status of a call with the token in the folder."""
    headers = {"Authorization": f"Bearer {(data / 'admin-token').read_text().strip()}"}
    return requests.get(dev.url("/admin/v1/clients"), headers=headers, timeout=10, verify=dev.ca).status_code


@pytest.mark.parametrize("tls", [False, True], ids=["http", "https"])
def test_the_printed_line_calls_the_admin_api(data, tls):
    with Dev(data=data, tls=tls) as dev:
        (line,) = [line for line in dev.process.stdout.splitlines() if "/admin/v1/" in line]
        answer = subprocess.run(["bash", "-c", line.replace("curl ", "curl --silent ", 1)], capture_output=True,
                                text=True, timeout=60, check=True)
        assert "web1" in {client["client_id"] for client in json.loads(answer.stdout)["items"]}
        assert (data / "admin-token").read_text().strip() not in dev.process.stdout


def test_the_admin_token_stays_and_a_new_one_is_made_when_it_is_good_no_more(data):
    with Dev(data=data) as dev:
        token = (data / "admin-token").read_text()
        assert admin_api(dev, data) == 200
    with Dev(data=data, apply=()) as dev:
        assert (data / "admin-token").read_text() == token
        (shown,) = json.loads(dev.admin("admin-token", "list", "--json").stdout)
        assert (shown["name"], shown["role"]) == ("seleid dev", "admin")
        dev.admin("admin-token", "revoke", str(shown["id"]))
        assert admin_api(dev, data) == 401
    with Dev(data=data, apply=()) as dev:
        assert (data / "admin-token").read_text() != token
        assert admin_api(dev, data) == 200


def test_the_demo_app_can_use_every_endpoint_and_keeps_what_was_changed(data):
    def demo(dev: Dev) -> tuple[dict, dict]:
        file = json.loads(dev.admin("export").stdout)
        return file["switches"], *[client for client in file["clients"] if client["client_id"] == "demo"]

    with Dev(data=data, apply=()) as dev:
        switches, client = demo(dev)
        assert switches["userinfo"] == switches["revocation"] == switches["session_context"] == "per_client"
        assert client["switches"] == {"userinfo": True, "revocation": True, "session_context": True}
        dev.admin("switch", "set", "userinfo", "off")
        dev.admin("client", "switch", "demo", "revocation", "off")
        dev.admin("account", "disable", "demo")
    with Dev(data=data, apply=()) as other:  # on a port of its own
        switches, client = demo(other)
        assert switches["userinfo"] == "off"
        assert client["switches"] == {"userinfo": True, "revocation": False, "session_context": True}
        assert client["redirect_uris"] == [other.url("/demo/callback")]
        assert json.loads(other.admin("account", "show", "demo").stdout)["status"] == "disabled"


def test_postgresql_ends_with_a_killed_dev_and_the_next_one_goes_on(data):
    dev = Dev(data=data).start()
    before = dev.admin("export").stdout
    sockets = socket_directory(data)
    dev.process.kill()

    with Dev(data=data, port=dev.port, apply=()) as dev:
        assert dev.admin("export").stdout == before
        assert not sockets.exists(), "the socket directory of the killed run is left"


def test_a_postmaster_that_outlived_its_dev_is_recognised_and_ended(data):
    """As when the kernel could not tell it that we died: frozen, it does not hear its parent's death."""
    dev = Dev(data=data).start()
    postmaster = int((data / "cluster" / "postmaster.pid").read_text().splitlines()[0])
    os.kill(postmaster, signal.SIGSTOP)
    dev.process.kill()
    # The SIGINT of the parent's death is pending now; SIGCONT delivers it while the next run starts.
    os.kill(postmaster, signal.SIGCONT)
    with Dev(data=data) as dev:
        assert requests.get(dev.url("/readyz"), timeout=5).status_code == 200
        assert int((data / "cluster" / "postmaster.pid").read_text().splitlines()[0]) != postmaster


def test_postgresql_killed_under_a_running_dev_is_started_again(data):
    with Dev(data=data) as dev:
        postmaster = int((data / "cluster" / "postmaster.pid").read_text().splitlines()[0])
        os.kill(postmaster, signal.SIGKILL)
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            try:
                lines = (data / "cluster" / "postmaster.pid").read_text().splitlines()
                if int(lines[0]) != postmaster and lines[7].strip() == "ready":
                    break
            except (OSError, IndexError):
                pass
            time.sleep(0.05)
        while time.monotonic() < deadline:
            if requests.get(dev.url("/readyz"), timeout=5).status_code == 200:
                return
            time.sleep(0.05)
        pytest.fail(f"not ready again within 30 s\n{dev.log}")


def test_a_second_dev_on_the_same_folder_is_refused(data):
    with Dev(data=data):
        second = run_seleid("dev", "--port", "0", "--data", str(data))
    assert second.returncode == 1
    assert second.stderr == (
        f"seleid: another seleid dev runs on {data.resolve()}: stop it, or choose another --data directory\n")


def test_a_taken_port_is_refused_also_when_a_seleid_has_it(data):
    with Dev(data=data) as dev:
        second = run_seleid("dev", "--port", str(dev.port), "--data", str(data.parent / "other"))
    assert second.returncode == 1
    assert second.stderr == f"seleid: port {dev.port} is taken by another program: choose another one with --port\n"
    assert not (data.parent / "other" / "cluster").exists()


def test_a_broken_apply_file_is_told_before_anything_is_made(data):
    file = data.parent / "broken.json"
    file.write_text('{"clients": [{"client_id": "x", "colour": "red"}]}')
    result = run_seleid("dev", "--port", "0", "--data", str(data), "--apply", str(file))
    assert result.returncode == 1
    assert f"seleid: {file}: clients[0] (x).colour: " in result.stderr
    assert not data.exists()


def test_a_folder_that_postgres_cannot_reach_works_for_root(data):
    if os.geteuid() != 0:
        pytest.skip("only root's cluster belongs to another user")
    data.parent.chmod(0o700)
    with Dev(data=data):
        place = Path((data / "cluster-location").read_text().strip())
        assert place.parent == Path("/var/lib/seleid-dev")
        assert postgres_processes(data)
    with Dev(data=data):
        assert Path((data / "cluster-location").read_text().strip()) == place
    # Begun anew, the former cluster is gone: its keys are sealed under a master key that is.
    shutil.rmtree(data)
    with Dev(data=data) as dev:
        assert not place.exists()
        place = Path((data / "cluster-location").read_text().strip())
        assert requests.get(dev.url("/readyz"), timeout=5).status_code == 200
    shutil.rmtree(place)


def test_port_0_takes_a_free_one(data):
    dev = Dev(data=data)
    dev.port = 0
    with dev:
        assert re.fullmatch(r"ready http://127\.0\.0\.1:[1-9][0-9]+", dev.ready_line)
        assert requests.get(dev.url("/readyz"), timeout=5).status_code == 200


def test_tls_serves_a_certificate_of_a_local_authority(data):
    with Dev(data=data, tls=True) as dev:
        assert dev.ready_line == f"ready https://localhost:{dev.port}"
        assert str(data.resolve() / "tls" / "ca.pem") in dev.process.stdout
        assert requests.get(dev.url("/readyz"), timeout=5, verify=dev.ca).status_code == 200
        authority = (data / "tls" / "ca.pem").read_text()
        assert stat.S_IMODE((data / "tls" / "key.pem").stat().st_mode) == 0o600
    with Dev(data=data, tls=True):
        assert (data / "tls" / "ca.pem").read_text() == authority


def test_settings_that_dev_makes_itself_are_ignored_and_said_so(data):
    with Dev(data=data, environment={"SELEID_DATABASE_URL": "postgresql://elsewhere.invalid/x"}) as dev:
        assert "dev sets SELEID_DATABASE_URL itself and ignores yours" in dev.log
        assert requests.get(dev.url("/readyz"), timeout=5).status_code == 200
