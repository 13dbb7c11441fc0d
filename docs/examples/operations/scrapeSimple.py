import os
import requests

response = requests.get(
    f"{os.environ['SITEFETCH_URL']}/api/v1/scraper",
    headers={"Authorization": f"Bearer {os.environ['SITEFETCH_KEY']}"},
    params={"url": "https://example.com/", "render_js": "true"},
    timeout=130,
)
response.raise_for_status()
print(response.text)
