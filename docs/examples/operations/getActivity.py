import os
import requests

response = requests.get(
    f"{os.environ['SITEFETCH_URL']}/api/v1/account/activity?limit=10",
    headers={"Authorization": f"Bearer {os.environ['SITEFETCH_KEY']}"},
    timeout=130,
)
response.raise_for_status()
for scrape in response.json()["data"]:
    print(scrape["time"], scrape["credits"], scrape["url"])
