"""Calls operations in their order. Reads from standard input a JSON list of their names and arguments."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator

from mainline_client import Client, Failure

client = Client(os.environ["MAINLINE_URL"], user="admin")
for name, arguments in json.load(sys.stdin):
    if "content" in arguments:
        arguments["content"] = arguments["content"].encode()
    try:
        answer = getattr(client, name)(**arguments)
        if isinstance(answer, Iterator):
            for _ in answer:
                pass
    except Failure as failure:
        print(failure)
