"""What is in a page, with Python 3.9 or newer and requests: its text, a picture and a PDF of one visit.

SITEFETCH_URL=https://... SITEFETCH_KEY=sf_... python3 outputs.py https://example.com/
"""

import base64
import os
import pathlib
import sys

import requests

if len(sys.argv) != 2 or not os.environ.get("SITEFETCH_URL") or not os.environ.get("SITEFETCH_KEY"):
    sys.exit("Usage: SITEFETCH_URL=https://... SITEFETCH_KEY=sf_... python3 outputs.py https://example.com/")

answer = requests.post(
    f"{os.environ['SITEFETCH_URL'].rstrip('/')}/api/v1/scraper",
    headers={"Authorization": f"Bearer {os.environ['SITEFETCH_KEY']}"},
    json={
        "url": sys.argv[1],
        "format": "json",
        "formats": ["markdown", "links", "screenshot", "pdf"],
        "screenshot": {"full_page": True},
        "pdf": {"paper": "a4"},
    },
    timeout=130,
)
page = answer.json()
if not answer.ok:
    raise SystemExit(f"{answer.status_code} {page['code']}: {page['message']} ({page['request_id']})")

files = {
    "page.md": page["markdown"].encode(),
    f"page.{page['screenshot']['type']}": base64.b64decode(page["screenshot"]["base64"]),
    "page.pdf": base64.b64decode(page["pdf"]["base64"]),
}
for name, content in files.items():
    pathlib.Path(name).write_bytes(content)
    print(f"{name}: {len(content)} bytes")
print(f"{len(page['links'])} links, {answer.headers['X-Credits-Used']} credits")
