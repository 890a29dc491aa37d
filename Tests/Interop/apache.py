"""An Apache of our own with mod_auth_openidc, on loopback, in a temporary directory."""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import requests

from support import Client, free_port, random_text

MODULES = Path("/usr/lib/apache2/modules")
BINARY = shutil.which("apache2") or "/usr/sbin/apache2"

CONFIGURATION = """
ServerRoot "{root}"
ServerName 127.0.0.1
PidFile "{root}/apache.pid"
DefaultRuntimeDir "{root}"
Mutex file:{root}
ErrorLog "{root}/error.log"
LogLevel warn auth_openidc:info
Listen 127.0.0.1:{port}
{user}
StartServers 1
MinSpareThreads 1
MaxSpareThreads 8
ThreadsPerChild 8
MaxRequestWorkers 8

LoadModule mpm_event_module {modules}/mod_mpm_event.so
LoadModule authn_core_module {modules}/mod_authn_core.so
LoadModule authz_core_module {modules}/mod_authz_core.so
LoadModule authz_user_module {modules}/mod_authz_user.so
LoadModule include_module {modules}/mod_include.so
LoadModule mime_module {modules}/mod_mime.so
LoadModule auth_openidc_module {modules}/mod_auth_openidc.so
TypesConfig /dev/null
AddType text/html .html
AddOutputFilter INCLUDES .html

DocumentRoot "{root}/pages"
<Directory "{root}/pages">
    Options +Includes
    Require all granted
</Directory>

OIDCProviderMetadataURL {issuer}/.well-known/openid-configuration
OIDCClientID {client_id}
OIDCClientSecret {client_secret}
OIDCProviderTokenEndpointAuth {method}
OIDCRedirectURI http://127.0.0.1:{port}/app/callback
OIDCScope "openid profile email"
OIDCPKCEMethod S256
OIDCCryptoPassphrase {passphrase}
OIDCRemoteUserClaim sub
OIDCPassRefreshToken On
{more}

<Location /app>
    AuthType openid-connect
    Require valid-user
</Location>
"""

# mod_include prints what the module put into the environment of the request.
PAGE = """<!doctype html><title>Protected</title>
<p id="user"><!--#echo var="REMOTE_USER" --></p>
<p id="iss"><!--#echo var="OIDC_CLAIM_iss" --></p>
<p id="name"><!--#echo var="OIDC_CLAIM_name" --></p>
<p id="email_verified"><!--#echo var="OIDC_CLAIM_email_verified" --></p>
<p id="access"><!--#echo var="OIDC_access_token" --></p>
<p id="refresh"><!--#echo var="OIDC_refresh_token" --></p>
"""


class Apache:
    def __init__(self, port: int | None = None) -> None:
        assert (MODULES / "mod_auth_openidc.so").exists(), "apt-get install apache2 libapache2-mod-auth-openidc"
        self.port = port or free_port()
        self.origin = f"http://127.0.0.1:{self.port}"
        self._directory = tempfile.TemporaryDirectory(prefix="seleid-apache-", dir="/tmp")
        self.root = Path(self._directory.name)

    @property
    def redirect_uri(self) -> str:
        return f"{self.origin}/app/callback"

    @property
    def log(self) -> str:
        path = self.root / "error.log"
        return path.read_text(errors="replace") if path.exists() else ""

    def start(self, issuer: str, client: Client, more: str = "") -> None:
        """`more`: further directives of the module."""
        pages = self.root / "pages" / "app"
        pages.mkdir(parents=True)
        (pages / "page.html").write_text(PAGE)
        (self.root / "pages" / "index.html").write_text("open to all\n")
        self.root.chmod(0o755)
        configuration = self.root / "apache.conf"
        configuration.write_text(CONFIGURATION.format(
            root=self.root, port=self.port, modules=MODULES, issuer=issuer, client_id=client.client_id,
            client_secret=client.secret, method=client.method, passphrase=random_text(), more=more,
            user="User www-data\nGroup www-data" if os.geteuid() == 0 else ""))
        self._process = subprocess.Popen(
            [BINARY, "-d", str(self.root), "-f", str(configuration), "-DFOREGROUND"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=(self.root / "start.log").open("wb"))
        deadline = time.monotonic() + 20
        while True:
            try:
                requests.get(self.origin, timeout=2)
                return
            except requests.RequestException:
                if self._process.poll() is not None or time.monotonic() > deadline:
                    text = (self.root / "start.log").read_text() + self.log
                    self.stop()
                    raise RuntimeError(f"Apache did not start:\n{text}") from None
                time.sleep(0.05)

    def stop(self) -> None:
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
            try:
                self._process.wait(15)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait(10)
        self._directory.cleanup()
