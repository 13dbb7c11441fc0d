import json
import os
import requests

crawl = f"{os.environ['SITEFETCH_URL']}/api/v1/crawls/{os.environ['CRAWL_ID']}"
response = requests.get(
    f"{crawl}/urls",
    headers={"Authorization": f"Bearer {os.environ['SITEFETCH_KEY']}"},
    params={"outcome": "failed"},
    timeout=30,
)
response.raise_for_status()
for line in response.iter_lines():
    url = json.loads(line)
    print(url["url"], url.get("found_on"), url.get("target_status"), url.get("error_code"))
