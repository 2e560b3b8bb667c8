"""Fields of a connection, and rejected values."""

from __future__ import annotations

from typing import Any

import pytest
from airflow.sdk import Connection

from fairlead_airflow.hook import Access


def connection(**more: Any) -> Connection:
    return Connection(conn_id="fl", conn_type="fairlead", **{"host": "fl.example", **more})


@pytest.mark.parametrize(
    ("given", "url"),
    [
        ({}, "https://fl.example"),
        ({"schema": "http", "port": 8080}, "http://fl.example:8080"),
        ({"host": "https://fl.example:8443/base"}, "https://fl.example:8443/base"),
        ({"host": "https://fl.example", "port": 8443}, "https://fl.example:8443"),
    ],
)
def test_the_address_is_that_of_host_schema_and_port(given: dict[str, Any], url: str) -> None:
    assert Access.of(connection(**given)).url == url


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"host": ""}, "connection fl: host is empty"),
        ({"schema": "ftp"}, "schema is 'ftp'"),
        ({"host": "https://me:secret@fl.example"}, "is not a service address"),
        ({"extra": '{"verify": false}'}, "extra has verify; valid keys: ca"),
        ({"extra": '{"timeout": "soon"}'}, "extra.timeout must be seconds"),
        ({"extra": '{"project": 7}'}, "extra.project must be text"),
    ],
)
def test_a_connection_that_is_wrong_names_its_field(given: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said) as refused:
        Access.of(connection(**given))
    assert "secret" not in str(refused.value)


def test_the_token_is_in_no_text() -> None:
    access = Access.of(connection(password="fl_secret"))
    assert access.token == "fl_secret"
    assert "fl_secret" not in repr(access)


def test_a_file_of_certificates_that_cannot_be_read_is_named() -> None:
    access = Access.of(connection(extra='{"ca": "/nowhere/ca.pem"}'))
    with pytest.raises(ValueError, match=r"/nowhere/ca\.pem cannot be read"):
        access.client()
