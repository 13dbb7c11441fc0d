import os
import requests

response = requests.post(
    f"{os.environ['SITEFETCH_URL']}/api/v1/scraper",
    headers={"Authorization": f"Bearer {os.environ['SITEFETCH_KEY']}"},
    json={"url": "https://example.com/", "mode": "auto"},
    timeout=130,
)
response.raise_for_status()
print(response.text)
