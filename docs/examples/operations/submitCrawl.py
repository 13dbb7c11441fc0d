import os
import requests

response = requests.post(
    f"{os.environ['SITEFETCH_URL']}/api/v1/crawls",
    headers={"Authorization": f"Bearer {os.environ['SITEFETCH_KEY']}"},
    json={
        "url": "https://example.com/",
        "limit": 50,
        "request": {"format": "markdown"},
    },
    timeout=30,
)
response.raise_for_status()
print(response.json()["crawl_id"])
