import json
import os
import requests

crawl = f"{os.environ['SITEFETCH_URL']}/api/v1/crawls/{os.environ['CRAWL_ID']}"
response = requests.get(
    f"{crawl}/results",
    headers={"Authorization": f"Bearer {os.environ['SITEFETCH_KEY']}"},
    params={"include": "body"},
    stream=True,
    timeout=30,
)
response.raise_for_status()
for line in response.iter_lines():
    result = json.loads(line)
    print(result["url"], result["status"], len(result.get("body", "")), result["cursor"])
