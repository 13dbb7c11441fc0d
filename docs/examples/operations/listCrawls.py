import os
import requests

response = requests.get(
    f"{os.environ['SITEFETCH_URL']}/api/v1/crawls",
    headers={"Authorization": f"Bearer {os.environ['SITEFETCH_KEY']}"},
    params={"limit": 10},
    timeout=30,
)
response.raise_for_status()
for crawl in response.json()["data"]:
    print(crawl["crawl_id"], crawl["status"], crawl["counts"])
