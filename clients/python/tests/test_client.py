"""The client over a service that sends the given replies, one after the other."""

import base64
import hashlib
import hmac
import json
import threading
import time
import unittest
from http.server import BaseHTTPRequestHandler, HTTPServer

from sitefetch import Sitefetch, SitefetchError, verify_webhook

REQUEST_ID = "019e2f3a-5b60-7c1d-9f2e-3a4b5c6d7e8f"
URL = "https://example.com/"
PAGE = {"Content-Type": "text/html; charset=iso-8859-1", "X-Target-Status": "200"}


def reply(status=200, body=b"", headers=None, stated=None):
    """Without `stated` the length is the body's; a larger one makes it look cut off."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()

    def send(handler):
        handler.send_response(status)
        handler.send_header("X-Request-Id", REQUEST_ID)
        for name, value in (headers or {}).items():
            handler.send_header(name, value)
        if stated != "unknown":
            handler.send_header("X-Content-Length", str(len(data) if stated is None else stated))
        handler.end_headers()
        handler.wfile.write(data)

    return send


def problem(status, code, **more):
    body = {"message": "What went wrong.", "code": code, "request_id": REQUEST_ID, "retryable": True}
    return reply(status, {**body, "retry_after": 0, **more}, {"Retry-After": "0"})


def dropped(handler):
    handler.close_connection = True


def silent(handler):
    time.sleep(1)


class Service:
    def __init__(self, *replies):
        self.requests = []
        waiting = list(replies)
        requests = self.requests

        class Handler(BaseHTTPRequestHandler):
            def answer(self):
                length = int(self.headers.get("Content-Length", 0))
                key = self.headers.get("Idempotency-Key")
                line = f"{self.command} {self.path}"
                requests.append((line, key, self.rfile.read(length), self.headers.get("Authorization")))
                (waiting.pop(0) if waiting else reply(410))(self)

            do_GET = do_POST = do_PUT = do_DELETE = do_PATCH = answer

            def log_message(self, *_):
                pass

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self.client = Sitefetch(base_url=f"{self.url}/", api_key="sf_test", timeout_ms=10_000)

    def __enter__(self):
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01})
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()

    def lines(self):
        return [line for line, *_ in self.requests]


class Calls(unittest.TestCase):
    def fails(self, code, call):
        with self.assertRaises(SitefetchError) as caught:
            call()
        self.assertEqual(caught.exception.code, code)
        return caught.exception

    def test_a_page_has_its_bytes_its_text_its_verdict_and_its_cost(self):
        about = {"X-Page-Verdict": "bot_wall; by=cloudflare", "X-Credits-Used": "0"}
        with Service(reply(200, b"\xe9", {**PAGE, **about, "X-Credits-Reason": "wall"})) as api:
            page = api.client.scrape(URL, format="markdown")
        self.assertEqual((page.bytes(), page.text(), page.verdict), (b"\xe9", "é", "bot_wall"))
        self.assertEqual((page.credits, page.request_id), ((0, None, "wall"), REQUEST_ID))
        self.assertEqual(json.loads(api.requests[0][2]), {"url": URL, "format": "markdown"})
        self.fails("unexpected_response", page.json)

    def test_an_error_has_what_the_service_says(self):
        with Service(problem(400, "invalid_request", retryable=False, param="url")) as api:
            error = self.fails("invalid_request", lambda: api.client.scrape(""))
        self.assertEqual((error.status, error.request_id, error.retryable), (400, REQUEST_ID, False))
        self.assertEqual(error.details["param"], "url")

    def test_a_scrape_that_was_refused_is_repeated(self):
        for status in (429, 503):
            with self.subTest(status), Service(problem(status, "busy"), reply(200, b"page")) as api:
                self.assertEqual(api.client.scrape(URL).text(), "page")

    def test_a_scrape_which_may_have_been_charged_is_not_repeated(self):
        faults = [
            (dropped, "connection_failed"),
            (reply(200, b"half", stated=10), "connection_lost"),
            (problem(500, "internal", retryable=False), "internal"),
            (problem(502, "dns_failed"), "dns_failed"),
            (reply(503, b"<html>"), "unexpected_response"),
        ]
        for fault, code in faults:
            with self.subTest(code), Service(fault) as api:
                self.fails(code, lambda: api.client.scrape(URL))
                self.assertEqual(len(api.requests), 1)

    def test_a_submit_is_repeated_with_its_key(self):
        faults = [
            dropped,
            reply(202, b'{"job_', stated=30),
            problem(500, "internal", retryable=False),
            reply(502, b"<html>", {"Retry-After": "0"}),
            problem(409, "idempotency_in_flight"),
        ]
        for fault in faults:
            with self.subTest(fault), Service(fault, reply(202, {"job_id": "the-job"})) as api:
                answer = api.client.jobs.submit(URL)
                self.assertEqual((answer, answer.request_id), ({"job_id": "the-job"}, REQUEST_ID))
                first, second = api.requests
                self.assertEqual(first, second)
                self.assertRegex(first[1], r"^[0-9a-f-]{36}$")

    def test_a_call_gives_up_after_its_retries(self):
        with Service(*[problem(503, "busy")] * 4) as api:
            self.fails("busy", lambda: api.client.jobs.get("the-job"))
            self.assertEqual(len(api.requests), 3)

    def test_a_response_that_takes_too_long_is_an_error_of_the_client(self):
        with Service(silent) as api:
            self.fails("client_timeout", lambda: api.client.scrape(URL, timeout_ms=100))

    def test_a_job_that_fails_raises_its_own_error(self):
        job = {"job_id": "the-job"}
        replies = [
            reply(202, job),
            reply(200, {**job, "status": "running"}, {"Retry-After": "0"}),
            reply(200, {**job, "status": "failed"}),
            problem(422, "dns_failed"),
        ]
        with Service(*replies) as api:
            self.fails("dns_failed", lambda: api.client.jobs.run(URL))

    def test_results_continue_behind_the_last_whole_line(self):
        def lines(*numbers):
            return b"".join(json.dumps({"line": n, "cursor": f"c{n}"}).encode() + b"\n" for n in numbers)

        faults = [
            reply(200, lines(1, 2) + b'{"line":3,"cu', stated="unknown"),
            reply(200, lines(1, 2), stated="unknown"),
            reply(200, lines(1, 2), {"Link": '</r?cursor=far>; rel="next"'}, stated=500),
        ]
        for fault in faults:
            with self.subTest(fault), Service(fault, reply(200, lines(3))) as api:
                found = [line["line"] for line in api.client.batches.results("b", include="body")]
                self.assertEqual(found, [1, 2, 3])
                self.assertTrue(api.lines()[1].endswith("results?include=body&cursor=c2"))

    def test_a_list_is_read_page_by_page(self):
        with Service(reply(200, {"data": [1], "next_cursor": "n"}), reply(200, {"data": [2]})) as api:
            self.assertEqual(list(api.client.jobs.list(tag="nightly")), [1, 2])
            self.assertEqual(api.lines()[1], "GET /api/v1/scraper/jobs?tag=nightly&cursor=n")

    def test_an_upload_whose_link_has_expired_uses_a_fresh_one_and_never_sends_the_key(self):
        def batch(path, status="waiting_for_upload"):
            def send(handler):
                url = f"http://{handler.headers['Host']}{path}"
                reply(200, {"batch_id": "b", "status": status, "upload_url": url})(handler)

            return send

        with Service(batch("/old"), reply(403), batch("/new"), reply(200), batch("", "running")) as api:
            started = api.client.batches.upload([{"url": URL}, '{"url": "x"}'])
            self.assertEqual(started["status"], "running")
            self.assertEqual([line for line in api.lines() if "PUT" in line], ["PUT /old", "PUT /new"])
            self.assertEqual(api.requests[3][2], b'{"url": "https://example.com/"}\n{"url": "x"}\n')
            self.assertEqual({key for line, _, _, key in api.requests if "PUT" in line}, {None})


SECRET = "whsec_" + base64.b64encode(b"a secret of twenty-four bytes").decode()
EVENT = b'{"type": "webhook.test", "timestamp": "2026-11-26T00:00:00Z", "data": {}}'


def signed(at=None, secret=SECRET):
    timestamp = str(int(time.time() if at is None else at))
    key = base64.b64decode(secret[6:])
    mac = hmac.new(key, b"msg_1." + timestamp.encode() + b"." + EVENT, hashlib.sha256).digest()
    signature = "v1," + base64.b64encode(mac).decode()
    return {"Webhook-Id": "msg_1", "Webhook-Timestamp": timestamp, "Webhook-Signature": signature}


class VerifiedWebhooks(unittest.TestCase):
    def test_a_signed_event_is_returned(self):
        self.assertEqual(verify_webhook(EVENT, signed(), SECRET)["type"], "webhook.test")
        both = {**signed(), "Webhook-Signature": "v1,b3RoZXI= " + signed()["Webhook-Signature"]}
        self.assertEqual(verify_webhook(EVENT.decode(), both, SECRET)["type"], "webhook.test")

    def test_anything_else_is_refused(self):
        version = {**signed(), "Webhook-Signature": signed()["Webhook-Signature"].replace("v1", "v2")}
        cases = [
            (EVENT + b" ", signed(), SECRET),
            (EVENT, signed(), "whsec_b3RoZXI="),
            (EVENT, signed(), "whsec_%"),
            (EVENT, signed(time.time() - 360), SECRET),
            (EVENT, {**signed(), "Webhook-Timestamp": "nan"}, SECRET),
            (EVENT, {**signed(), "Webhook-Timestamp": "now"}, SECRET),
            (EVENT, {**signed(), "Webhook-Signature": ""}, SECRET),
            (EVENT, version, SECRET),
            ('{"type": "\ud800"}', signed(), SECRET),
            (EVENT, {**signed(), "Webhook-Signature": "v1,\ud800"}, SECRET),
        ]
        for body, headers, secret in cases:
            with self.subTest(headers), self.assertRaises(SitefetchError) as caught:
                verify_webhook(body, headers, secret)
            self.assertEqual(caught.exception.code, "invalid_signature")


if __name__ == "__main__":
    unittest.main()
