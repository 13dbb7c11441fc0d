import os
import requests

crawl = f"{os.environ['SITEFETCH_URL']}/api/v1/crawls/{os.environ['CRAWL_ID']}"
response = requests.get(
    crawl,
    headers={"Authorization": f"Bearer {os.environ['SITEFETCH_KEY']}"},
    timeout=30,
)
response.raise_for_status()
print(response.json()["status"], response.json()["counts"])
