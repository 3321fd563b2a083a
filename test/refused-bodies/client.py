"""Sends a body of so many bytes, and prints what was answered: one line each time. Usage: client.py URL BYTES TIMES FRAMING"""
import http.client
import json
import sys
from urllib.parse import urlsplit

url, size, times, framing = urlsplit(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
part = b"x" * 65536


def parts():
    left = size
    while left > 0:
        yield part[:left]
        left -= len(part)


for _ in range(times):
    connection = http.client.HTTPConnection(url.hostname, url.port, timeout=60)
    try:
        headers = {"Content-Type": "application/json"}
        if framing == "close":
            headers["Connection"] = "close"
        if framing == "chunked":
            connection.request("POST", url.path, parts(), headers, encode_chunked=True)
        else:
            connection.request("POST", url.path, b"x" * size, headers)
        answer = connection.getresponse()
        print(answer.status, json.loads(answer.read())["bk_error_code"], flush=True)
    except Exception as error:
        print(type(error).__name__, error, flush=True)
    finally:
        connection.close()
