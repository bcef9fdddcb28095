"""The admin API's way with keys, as tests use it."""

import json

from client import Client
from runnel_process import ADMIN_TOKEN


def admin(port, method, path, body=None, headers=None):
    """One request to the admin API, on a connection of its own."""
    fields = {"Authorization": f"Bearer {ADMIN_TOKEN}", **(headers or {})}
    data = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
    with Client(port) as client:
        client.request(method, path, data, fields)
        return client.response()


def make_key(port, **fields):
    """A new key: what the admin API answers, its secret under "key"."""
    response = admin(port, "POST", "/admin/v1/keys", fields)
    assert response.status == 201, response.body
    return response.json()


def bearer(key):
    """The header that a request with this key has."""
    return {"Authorization": f"Bearer {key['key']}"}
