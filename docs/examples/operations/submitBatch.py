import os
import requests

response = requests.post(
    f"{os.environ['SITEFETCH_URL']}/api/v1/scraper/batches",
    headers={"Authorization": f"Bearer {os.environ['SITEFETCH_KEY']}"},
    json={
        "defaults": {"render_js": True},
        "requests": [{"url": "https://example.com/", "custom_id": "home"}],
    },
    timeout=30,
)
response.raise_for_status()
print(response.json()["batch_id"])
