"""What the Python tests share: a running server, a browser without JavaScript, callbacks, verification of tokens.

Nothing here uses the project's own code to judge the project's answers: tokens are verified by joserfc.
"""

from .browser import Browser, Page
from .callback import Callback
from .clients import register
from .fixtures import ALICE, BOB, CLIENTS, FIXTURES, Account, Client
from .oauth import AuthorizationRequest, TokenAnswer, b64url, challenge_s256, nonce, random_text, state, verifier
from .server import Dev, Serve, find_binary, free_port, run_seleid
from .tokens import fetch_jwks, left_half_hash, verify_id_token

__all__ = [
    "ALICE",
    "Account",
    "AuthorizationRequest",
    "BOB",
    "Browser",
    "CLIENTS",
    "Callback",
    "Client",
    "Dev",
    "FIXTURES",
    "Page",
    "Serve",
    "TokenAnswer",
    "b64url",
    "challenge_s256",
    "fetch_jwks",
    "find_binary",
    "free_port",
    "left_half_hash",
    "nonce",
    "random_text",
    "register",
    "run_seleid",
    "state",
    "verifier",
    "verify_id_token",
]
