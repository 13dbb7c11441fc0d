import os
import requests

response = requests.post(
    f"{os.environ['SITEFETCH_URL']}/api/v1/webhooks",
    headers={"Authorization": f"Bearer {os.environ['SITEFETCH_KEY']}"},
    json={"url": "https://example.com/hooks", "events": ["job.failed"]},
    timeout=30,
)
response.raise_for_status()
print(response.json()["webhook_id"], response.json()["secret"])
