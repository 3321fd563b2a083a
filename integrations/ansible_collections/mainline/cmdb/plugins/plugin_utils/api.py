"""Calls of Mainline on the controller, by the options of a plugin."""

import json
from urllib.error import HTTPError

from ansible.errors import AnsibleError
from ansible.module_utils.urls import open_url
from ansible.utils.unsafe_proxy import wrap_var


def read(plugin, path, body=None):
    """The answer to a request as it was sent. A refusal fails the play with its text."""
    url = f"{plugin.get_option('url').rstrip('/')}/api/v3{path}"
    try:
        answer = open_url(
            url,
            method="GET" if body is None else "POST",
            data=None if body is None else json.dumps(body),
            headers=_headers(plugin),
            timeout=plugin.get_option("timeout_s"),
            validate_certs=plugin.get_option("validate_certs"),
            # Elsewhere the token would be disclosed.
            follow_redirects="none",
        )
        text = answer.read().decode()
    except HTTPError as refusal:
        raise AnsibleError(f"{url}: HTTP {refusal.code}: {refusal.read().decode(errors='replace')}") from refusal
    except Exception as why:
        raise AnsibleError(f"{url}: {why}") from why
    # With --compat bk-cmdb refusals are sent with the status of a success.
    if text.startswith('{"result":false,'):
        raise AnsibleError(f"{url}: {text}")
    return text


def data_of(plugin, path, body):
    return json.loads(read(plugin, path, body))["data"]


def unsafe(value):
    """
    Marked so that Ansible never evaluates the value as a template, neither alone nor after a playbook has joined
    several: an attribute of a host must not run commands on the controller.
    """
    return wrap_var(value)


def _headers(plugin):
    headers = {"Content-Type": "application/json"}
    if plugin.get_option("token"):
        headers["Authorization"] = f"Bearer {plugin.get_option('token')}"
    if plugin.get_option("user"):
        headers["BK_User"] = plugin.get_option("user").encode().decode("latin-1")
    return headers
