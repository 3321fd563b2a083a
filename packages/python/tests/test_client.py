"""
Against a running server, whose address is in MAINLINE_URL: `python3 -m unittest discover packages/python/tests`.
MAINLINE_LOST_CURSOR holds a cursor whose record the server does not have.
"""

from __future__ import annotations

import os
import socket
import threading
import unittest
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from itertools import count
from queue import Queue
from urllib.parse import urlsplit

from mainline_client import (
    Client,
    Conflict,
    CursorGone,
    InvalidRequest,
    NotFound,
    PermissionDenied,
    RevisionMismatch,
    Unavailable,
    WebhookRefused,
    verify_webhook,
)

URL = os.environ["MAINLINE_URL"]
client = Client(URL, user="admin")
names = (f"python {number}" for number in count())


def make_business() -> int:
    body = {"bk_biz_name": next(names), "bk_biz_maintainer": "admin", "time_zone": "UTC"}
    return client.create_business(bk_supplier_account="0", body=body)["bk_biz_id"]


BUSINESS = make_business()


def make_set(by: Client = client, **attributes: object) -> int:
    body = {"bk_biz_id": BUSINESS, "bk_parent_id": BUSINESS, "bk_supplier_account": "0", "bk_set_name": next(names)}
    return by.create_set(bk_biz_id=BUSINESS, body={**body, **attributes}, reason="CHG-17: höher")["bk_set_id"]


def names_of_sets(condition: dict) -> list[str]:
    body = {"fields": ["bk_set_name"], "condition": condition}
    found = client.iter_search_set(
        bk_supplier_account="0", bk_biz_id=BUSINESS, body=body, sort="-bk_set_id", limit=2
    )
    return [each["bk_set_name"] for each in found]


class Calls(unittest.TestCase):
    def test_changes_carry_their_reason_and_their_revision(self):
        set_id = make_set()
        page = {"start": 0, "limit": 1}
        body = {"page": page, "fields": ["bk_revision"], "condition": {"bk_set_id": set_id}}
        found = client.search_set(bk_supplier_account="0", bk_biz_id=BUSINESS, body=body)
        revision = found["info"][0]["bk_revision"]
        change = {"bk_biz_id": BUSINESS, "bk_capacity": 5}
        client.update_set(bk_biz_id=BUSINESS, bk_set_id=set_id, body=change, if_match=revision)
        with self.assertRaises(RevisionMismatch) as raised:
            client.update_set(bk_biz_id=BUSINESS, bk_set_id=set_id, body=change, if_match=revision)
        self.assertEqual((raised.exception.kind, raised.exception.status), ("revisionMismatch", 412))
        logged = client.get_operation_log(
            body={"condition": {"inst_id": set_id, "op_target": "set"}, "start": 0, "limit": 5, "sort": "op_time"}
        )
        self.assertEqual(logged["info"][0]["op_reason"], "CHG-17: höher")

    def test_refusals_are_of_a_class_by_what_they_mean(self):
        with self.assertRaises(NotFound) as raised:
            client.get_host_detail(bk_supplier_account="0", bk_host_id=999_999)
        failure = raised.exception
        self.assertEqual((failure.kind, failure.code, failure.status), ("hostNotFound", 1110008, 404))
        self.assertTrue(failure.request_id)
        with self.assertRaises(InvalidRequest):
            client.create_set(bk_biz_id=BUSINESS, body={})
        with self.assertRaises(Conflict):
            make_set(bk_set_name="taken")
            make_set(bk_set_name="taken")
        with self.assertRaises(PermissionDenied):
            make_set(Client(URL, user="guest"))
        with self.assertRaises(NotFound):
            client.get_query_csv(bk_biz_id=BUSINESS, id="nosuch")
        with self.assertRaises(InvalidRequest):
            client.stream_events(resource="nosuch")

    def test_texts_are_in_the_language_and_names_in_any_script(self):
        chinese = Client(URL, user="李雷", language="zh-cn")
        self.assertEqual(chinese.get_session()["user"], "李雷")
        with self.assertRaises(NotFound) as raised:
            chinese.get_host_detail(bk_supplier_account="0", bk_host_id=999_999)
        self.assertEqual(raised.exception.text, "没有找到主机")

    def test_nothing_that_answers_is_unavailable(self):
        with socket.socket() as unused:
            unused.bind(("127.0.0.1", 0))
            nowhere = Client(f"http://127.0.0.1:{unused.getsockname()[1]}", retries=1)
            with self.assertRaises(Unavailable) as raised:
                nowhere.get_session()
        self.assertEqual(raised.exception.kind, "unreachable")

    def test_a_change_whose_answer_is_lost_is_made_once(self):
        with losing_answer(1) as (address, sent):
            set_id = make_set(Client(address, user="admin"), bk_set_name="made once")
        self.assertEqual(sent.qsize(), 2)
        self.assertEqual(names_of_sets({"bk_set_id": set_id}), ["made once"])


class Pages(unittest.TestCase):
    def test_a_search_is_read_to_its_end(self):
        made = [make_set(bk_capacity=77) for _ in range(5)]
        body = {"fields": ["bk_set_id"], "condition": {"bk_capacity": 77}}
        found = client.iter_search_set(bk_supplier_account="0", bk_biz_id=BUSINESS, body=body, limit=2)
        self.assertEqual([each["bk_set_id"] for each in found], made)

    def test_hosts_are_read_by_their_ids(self):
        rows = {str(row): {"bk_host_innerip": f"10.77.0.{row}", "bk_cloud_id": 0} for row in range(1, 6)}
        client.add_host(body={"bk_biz_id": BUSINESS, "host_info": rows})
        found = client.iter_search_host(body={"bk_biz_id": BUSINESS}, limit=2)
        self.assertEqual([each["host"]["bk_host_innerip"] for each in found], [f"10.77.0.{row}" for row in range(1, 6)])
        info = '{"condition":[{"bk_obj_id":"host","fields":["bk_host_innerip"],"condition":[]}]}'
        query = client.create_custom_query(body={"bk_biz_id": BUSINESS, "name": next(names), "info": info})["id"]
        for after in (None, 0):
            run = client.iter_get_custom_query_data(bk_biz_id=BUSINESS, id=query, after=after, limit=2)
            self.assertEqual(sum(1 for _ in run), 5)


class Watching(unittest.TestCase):
    def test_a_later_program_resumes_at_the_cursor(self):
        made = [make_set(), make_set()]
        watcher = client.watch("set", start_from=0, event_types=["create"], fields=["bk_set_id"])
        seen = next(each for each in watcher if each["bk_detail"]["bk_set_id"] == made[0])
        self.assertEqual((seen["bk_event_type"], list(seen["bk_detail"])), ("create", ["bk_set_id"]))
        later = client.watch("set", cursor=watcher.cursor)
        self.assertEqual(next(later)["bk_detail"]["bk_set_id"], made[1])

    def test_a_lost_connection_is_resumed(self):
        with losing_answer(2) as (address, sent):
            watcher = Client(address, user="admin", retries=0).watch("set", cursor=cursor_now())
            made = []
            for _ in range(2):
                made.append(make_set())
                self.assertEqual(next(watcher)["bk_detail"]["bk_set_id"], made[-1])
        self.assertEqual(sent.qsize(), 3)

    def test_a_stream_is_open_once_it_is_returned(self):
        stream = client.stream_events(resource="set")
        set_id = make_set()
        self.assertEqual(next(stream)["bk_detail"]["bk_set_id"], set_id)

    def test_a_history_that_was_reset_tells_where_to_resume(self):
        with self.assertRaises(CursorGone) as raised:
            next(client.watch("set", cursor=os.environ["MAINLINE_LOST_CURSOR"]))
        self.assertEqual((raised.exception.code, raised.exception.status), (1199410, 410))
        self.assertGreater(raised.exception.position, 0)
        resumed = client.watch("set", cursor=raised.exception.cursor)
        set_id = make_set()
        self.assertEqual(next(resumed)["bk_detail"]["bk_set_id"], set_id)


class Webhooks(unittest.TestCase):
    def test_what_is_delivered_is_verified_with_any_of_the_secrets(self):
        received: Queue[tuple[dict[str, str], bytes]] = Queue()

        class Receiver(BaseHTTPRequestHandler):
            def do_POST(self):
                received.put((dict(self.headers), self.rfile.read(int(self.headers["Content-Length"]))))
                self.send_response(200)
                self.end_headers()

            def log_message(self, *_):
                pass

        with serving(HTTPServer(("127.0.0.1", 0), Receiver)) as address:
            form = {"subscription_name": next(names), "callback_url": address, "subscription_form": "setcreate"}
            subscribed = client.subscribe_event(bk_supplier_account="0", bk_biz_id=BUSINESS, body=form)
            set_id = make_set()
            headers, body = received.get(timeout=30)
            client.unsubcribe_event(
                bk_supplier_account="0", bk_biz_id=BUSINESS, subscription_id=subscribed["subscription_id"]
            )
        secret, other = subscribed["secret"], "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
        event = verify_webhook(secret, headers, body)
        self.assertEqual(event["data"][0]["cur_data"]["bk_set_id"], set_id)
        self.assertEqual(verify_webhook([other, secret], headers, body), event)
        sent_at = int(headers["webhook-timestamp"])
        for secrets, changed, content, now in (
            (other, {}, body, None),
            (secret, {}, body + b" ", None),
            (secret, {"webhook-id": "msg_2"}, body, None),
            (secret, {"webhook-signature": ""}, body, None),
            (secret, {"webhook-signature": "v1,é v2,AAAA v1,"}, body, None),
            (secret, {"webhook-timestamp": "1e9"}, body, None),
            (secret, {}, body, sent_at + 301),
            (secret, {}, body, sent_at - 301),
        ):
            with self.assertRaises(WebhookRefused):
                verify_webhook(secrets, {**headers, **changed}, content, now=now)
        with self.assertRaises(ValueError):
            verify_webhook("whsec_", headers, body)


def cursor_now() -> str:
    set_id = make_set()
    watcher = client.watch("set", start_from=0)
    return next(each["bk_cursor"] for each in watcher if each["bk_detail"]["bk_set_id"] == set_id)


@contextmanager
def serving(server: HTTPServer) -> Iterator[str]:
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def losing_answer(number: int) -> Iterator[tuple[str, Queue[str]]]:
    """In front of the server: each request reaches it, and one answer is lost on its way back."""
    behind = urlsplit(URL)
    sent: Queue[str] = Queue()

    class Proxy(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            with socket.create_connection((behind.hostname, behind.port)) as server:
                head = "".join(f"{name}: {value}\r\n" for name, value in self.headers.items())
                server.sendall(f"POST {self.path} HTTP/1.1\r\n{head}\r\n".encode("latin-1") + body)
                answer = b"".join(iter(lambda: server.recv(65536), b""))
            sent.put(self.path)
            if sent.qsize() != number:
                self.wfile.write(answer)

        def log_message(self, *_):
            pass

    with serving(HTTPServer(("127.0.0.1", 0), Proxy)) as address:
        yield address, sent


if __name__ == "__main__":
    unittest.main()
