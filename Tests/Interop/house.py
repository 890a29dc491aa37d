"""A provider with some switched endpoints in one of three states, for what libraries make of each."""

import json

from support import Client, Dev, register

ON, OFF_HERE, OFF = "on", "off for this client", "off for all"


class House:
    """The endpoints are named as their switches."""

    def __init__(self, server: Dev, how: str, *switches: str) -> None:
        self.server = server
        self.how = how
        self.switches = switches
        states = {"switches": {name: "off" if how == OFF else "per_client" for name in switches}}
        done = server.admin("apply", "-f", "-", stdin=json.dumps(states))
        assert done.returncode == 0, done.stderr

    @property
    def issuer(self) -> str:
        return self.server.issuer

    def client(self, name: str, redirect_uri: str = "http://127.0.0.1:9841/cb", **metadata: object) -> Client:
        return register(
            self.server, f"{name}-{self.how.split()[-1]}", [redirect_uri],
            switches={name: self.how != OFF_HERE for name in self.switches}, **metadata)
