import json, os, sys, time
import requests

shelf, session = sys.argv[1], requests.Session()
session.headers["Authorization"] = f"Bearer {os.environ['SITEFETCH_KEY']}"


def call(path, body=None):
    url = f"{os.environ['SITEFETCH_URL']}/api/v1/scraper{path}"
    response = session.get(url, timeout=130) if body is None else session.post(url, json=body, timeout=130)
    return response if response.ok else sys.exit(f"{response.status_code}: {response.json()['message']}")


links = call("", {"url": shelf, "format": "links"}).json()
pages = sorted(link["url"] for link in links if link["url"].startswith(shelf) and link["url"] != shelf)
rules = {"name": "h1", "price": ".price"}
defaults = {"format": "extract", "extract_rules": rules, "retry_on": [429, 503]}
batch = {"requests": [{"url": url} for url in pages], "defaults": defaults, "tags": ["prices"], "max_credits": 60}
state = call("/batches", batch).json()
while "completed_at" not in state:
    time.sleep(2)
    state = call(f"/batches/{state['batch_id']}").json()
for line in call(f"/batches/{state['batch_id']}/results?include=body").text.splitlines():
    result = json.loads(line)
    page = json.loads(result.get("body", "{}"))
    print(result["url"], page.get("name"), page.get("price"), result.get("error_code", ""))
print(f"{state['credits_used']} credits, {state['counts']['failed']} failed")
