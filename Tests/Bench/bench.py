"""Prints what the server costs, as ratios to `openssl speed rsa2048` and `pgbench` measured in the same run.

Times of one machine mean little; how much more a request costs than the signature in it means the same everywhere.
"""

import argparse
import base64
import json
import os
import re
import statistics
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from support.browser import Browser  # noqa: E402
from support.fixtures import CLIENTS, ROOT  # noqa: E402
from support.server import Dev, Serve, clean_environment, find_binary, free_port  # noqa: E402

LOAD_GENERATOR = ROOT / ".build" / "release" / "LoadGenerator"
CONNECTIONS = (1, 16, 64)


def signatures(seconds: int, processes: int | None = None) -> float:
    """RSA-2048 signatures per second: of CPU time for one process, of wall time for several."""
    command = ["openssl", "speed", "-seconds", str(seconds)]
    if processes:
        command += ["-multi", str(processes)]
    output = subprocess.run([*command, "rsa2048"], capture_output=True, text=True, check=True, timeout=120).stdout
    return float(re.findall(r"rsa 2048 bits\s+\S+\s+\S+\s+(\S+)", output)[-1])


class Database:
    """The private PostgreSQL of the measured server."""

    def __init__(self, url: str) -> None:
        self.url = url

    def sql(self, text: str) -> str:
        return subprocess.run(["psql", "-XAtq", "-v", "ON_ERROR_STOP=1", self.url, "-c", text],
                              capture_output=True, text=True, check=True, timeout=600).stdout.strip()

    def pgbench(self, script: str, connections: int, seconds: int) -> float:
        """Transactions per second of a script."""
        output = subprocess.run(
            ["pgbench", "-n", "-M", "prepared", "-c", str(connections), "-j", "2", "-T", str(seconds), "-f", "-", self.url],
            input=script, capture_output=True, text=True, check=True, timeout=seconds + 60).stdout
        return float(re.search(r"tps = (\S+)", output).group(1))


class Bench:
    def __init__(self, dev: Dev, node: Serve, seconds: float) -> None:
        self.dev, self.node, self.seconds = dev, node, seconds
        self.app = self._signed_in_app()

    def _signed_in_app(self) -> list[str]:
        """The first-party app with the cookies of a browser that is signed in: no page stands in the way."""
        own = CLIENTS["own1"]
        browser = Browser(self.dev.issuer)
        query = ("response_type=code&scope=openid%20profile%20email&state=bench&nonce=bench-bench-bench-bench"
                 "&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256"
                 f"&client_id={own.client_id}&redirect_uri={own.redirect_uri}")
        page = browser.get(self.dev.url(f"/authorize?{query}"))
        page = browser.sign_in(page)
        assert page.left and "code" in parse_qs(urlsplit(page.url).query), page.url
        credentials = base64.b64encode(f"{own.client_id}:{own.secret}".encode()).decode()
        cookies = "; ".join(f"{cookie.name}={cookie.value}" for cookie in browser.session.cookies)
        return [own.client_id, credentials, own.redirect_uri, cookies]

    def load(self, scenario: str, connections: int) -> dict:
        arguments = [str(LOAD_GENERATOR), scenario, str(self.node.port), str(connections), str(self.seconds),
                     str(self.node.process.pid)]
        if scenario != "discovery":
            arguments += self.app
        run = subprocess.run(arguments, capture_output=True, text=True, timeout=self.seconds * 3 + 60)
        assert run.returncode == 0, run.stderr
        return json.loads(run.stdout)


def memory_mb(pid: int) -> float:
    """Resident memory."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+) kB", status).group(1)) / 1024


def start_to_ready_ms(dev: Dev) -> float:
    """From exec to the line `ready`, median of five starts on a migrated database."""
    times = []
    for _ in range(5):
        port = free_port()
        environment = clean_environment(dev.serve_environment(SELEID_LISTEN=f"127.0.0.1:{port}", SELEID_DRAIN_SECONDS="0"))
        start = time.monotonic()
        process = subprocess.Popen([str(find_binary()), "serve"], env=environment, stdout=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL)
        line = process.stdout.readline()
        times.append((time.monotonic() - start) * 1000)
        assert line.startswith(b"ready"), line
        process.terminate()
        assert process.wait(20) == 0
    return statistics.median(times)


def add_grants(database: Database, count: int) -> float:
    """Fills the table; returns the bytes that a grant takes, indexes included."""
    database.sql(f"""
        INSERT INTO grants (client_id, account_id, subject, session_id, sid, scope, auth_time, acr, amr, expires_at, idle_expires_at)
        SELECT 'own1', a.id, a.subject, n, 'AAAAAAAAAAAAAAAAAAAAAA', '{{openid,profile}}', now(), 'urn:seleid:acr:password', '{{pwd}}',
            now() + interval '90 days', now() + interval '30 days'
        FROM generate_series(1, {count}) n, (SELECT id, subject FROM accounts ORDER BY id LIMIT 1) a""")
    database.sql("VACUUM (ANALYZE) grants")
    database.sql("CHECKPOINT")
    return float(database.sql("SELECT pg_total_relation_size('grants')::numeric / (SELECT count(*) FROM grants)"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=5, help="length of each measurement")
    parser.add_argument("--grants", type=int, default=1_000_000, help="how many grants to add for the second half")
    options = parser.parse_args()
    results: dict = {"machine": {"cores": os.cpu_count()}}
    with Dev() as dev:
        database = Database(dev.database_url)
        results["start_to_ready_ms"] = start_to_ready_ms(dev)
        with Serve(dev) as node:
            time.sleep(1)
            results["idle_mb"] = memory_mb(node.process.pid)
            # The switched endpoints are measured too.
            database.sql("INSERT INTO switches SELECT name, 'on' FROM unnest(ARRAY['userinfo', 'revocation', "
                         "'session_context', 'introspection']) name ON CONFLICT (name) DO UPDATE SET state = 'on'")
            bench = Bench(dev, node, options.seconds)
            results["runs"] = measure(bench, database)
            results["loaded_mb"] = memory_mb(node.process.pid)
            print_table(results)
            compare_grants(bench, database, options.grants)


def measure(bench: Bench, database: Database) -> list[dict]:
    runs = []
    for scenario in ("refresh", "revocation", "code", "userinfo", "session_context", "introspection", "discovery"):
        for connections in CONNECTIONS:
            if scenario == "revocation":
                runs.append(revocation(bench, connections))
                continue
            # Beside each run, so that a slower moment of the machine weighs on both.
            one, both = signatures(1), signatures(1, processes=os.cpu_count())
            figures = bench.load(scenario, connections)
            figures |= {"scenario": scenario, "connections": connections, "signature_us": 1e6 / one, "multi": both}
            runs.append(figures)
    database.sql("CREATE TABLE IF NOT EXISTS bench (id int PRIMARY KEY, n int NOT NULL) WITH (fillfactor = 75)")
    database.sql("INSERT INTO bench SELECT n, 0 FROM generate_series(1, 64) n ON CONFLICT DO NOTHING")
    for figures in runs:
        figures["pgbench"] = database.pgbench(
            "\\set id random(1, 64)\nUPDATE bench SET n = n + 1 WHERE id = :id RETURNING n;\n", figures["connections"], 1)
    return runs


def revocation(bench: Bench, connections: int) -> dict:
    """A revocation needs a token that has not been revoked: so refresh and revoke, less what refreshing alone costs in
    turns of the same minute.
    """
    both, alone, ones = [], [], []
    for _ in range(3):
        ones.append(signatures(1))
        both.append(bench.load("revocation", connections))
        alone.append(bench.load("refresh", connections))
    cost = statistics.median(b["server_cpu_us"] - a["server_cpu_us"] for a, b in zip(alone, both))
    figures = both[-1] | {"server_cpu_us": cost, "scenario": "revocation", "connections": connections}
    return figures | {"signature_us": 1e6 / statistics.median(ones), "multi": signatures(1, processes=os.cpu_count())}


def print_table(results: dict) -> None:
    print(f"start to ready {results['start_to_ready_ms']:.0f} ms, memory {results['idle_mb']:.1f} MB idle, "
          f"{results['loaded_mb']:.1f} MB loaded\n")
    print(f"{'':15} {'conn.':>5} {'per s':>8} {'p50 ms':>8} {'p99 ms':>8} {'server CPU':>11} "
          f"{'/ signature':>12} {'/ openssl -multi':>17} {'/ pgbench update':>17}")
    for run in results["runs"]:
        print(f"{run['scenario']:15} {run['connections']:5} {run['per_second']:8.0f} {run['p50_ms']:8.2f} "
              f"{run['p99_ms']:8.2f} {run['server_cpu_us']:8.1f} us {run['server_cpu_us'] / run['signature_us']:12.3f} "
              f"{run['per_second'] / run['multi']:16.0%} {run['per_second'] / run['pgbench']:16.0%}")


def compare_grants(bench: Bench, database: Database, count: int) -> None:
    """Refreshing with few grants and with many, in turn with the signatures of the same moment."""
    def refresh() -> float:
        return statistics.median(
            bench.load("refresh", 16)["per_second"] / signatures(1, processes=os.cpu_count()) for _ in range(3))

    before = refresh()
    size = add_grants(database, count)
    after = refresh()
    print(f"\n{count} grants more, {size:.0f} bytes each with their indexes: refreshes at {after / before:.0%} of the rate before")


if __name__ == "__main__":
    main()
