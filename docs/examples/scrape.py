"""One page with Python 3.9 or newer and requests: at once, and as a job.

SITEFETCH_URL=https://... SITEFETCH_KEY=sf_... python3 scrape.py https://example.com/
"""

import os
import sys
import time
import uuid

import requests

MAX_TRIES = 4

if len(sys.argv) != 2 or not os.environ.get("SITEFETCH_URL") or not os.environ.get("SITEFETCH_KEY"):
    sys.exit("Usage: SITEFETCH_URL=https://... SITEFETCH_KEY=sf_... python3 scrape.py https://example.com/")

session = requests.Session()
session.headers["Authorization"] = f"Bearer {os.environ['SITEFETCH_KEY']}"


def ask(method, path, **more):
    """Calls the API, and repeats the call while the error may pass. Raises any other error."""
    for tried in range(1, MAX_TRIES + 1):
        url = f"{os.environ['SITEFETCH_URL'].rstrip('/')}/api/v1/scraper{path}"
        answer = session.request(method, url, timeout=130, **more)
        if answer.ok:
            return answer
        error = answer.json()
        if error["code"] == "insufficient_credits":
            left, needed = error["credits_remaining"], error["credits_required"]
            raise SystemExit(f"Out of credits: {left} left, {needed} needed.")
        if not error["retryable"] or tried == MAX_TRIES:
            raise SystemExit(f"{answer.status_code} {error['code']}: {error['message']} ({error['request_id']})")
        # A refusal says how long to wait; after any other error, wait twice as long each time.
        time.sleep(error.get("retry_after", 2**tried))


target = sys.argv[1]

page = ask("POST", "", json={"url": target, "render_js": True, "timeout": 60_000})
print(f"{page.headers['X-Target-Status']} {page.headers['X-Target-Url']}: {len(page.text)} characters,")
print(f"{page.headers['X-Credits-Used']} credits, {page.headers['X-Credits-Remaining']} left")

# The key is the same in every try, so that a repeat is no second job.
headers = {"Idempotency-Key": str(uuid.uuid4())}
job_id = ask("POST", "/jobs", json={"url": target}, headers=headers).json()["job_id"]
while True:
    answer = ask("GET", f"/jobs/{job_id}")
    job = answer.json()
    if job["status"] == "failed":
        raise SystemExit(f"{job['error_code']}: {job['error']}")
    if job["status"] == "completed":
        break
    time.sleep(int(answer.headers["Retry-After"]))
result = ask("GET", f"/jobs/{job_id}/result")
print(f"job {job_id}: {len(result.content)} bytes")
