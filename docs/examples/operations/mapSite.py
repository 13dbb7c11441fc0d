import os
import requests

response = requests.post(
    f"{os.environ['SITEFETCH_URL']}/api/v1/map",
    headers={"Authorization": f"Bearer {os.environ['SITEFETCH_KEY']}"},
    json={"url": "https://example.com/", "limit": 100},
    timeout=130,
)
response.raise_for_status()
site = response.json()
for found in site["urls"]:
    print(found["url"], found.get("title"))
print("All URLs." if site["complete"] else "There may be more.")
