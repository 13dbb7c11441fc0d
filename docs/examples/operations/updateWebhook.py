import os
import requests

response = requests.patch(
    f"{os.environ['SITEFETCH_URL']}/api/v1/webhooks/{os.environ['WEBHOOK_ID']}",
    headers={"Authorization": f"Bearer {os.environ['SITEFETCH_KEY']}"},
    json={"enabled": True},
    timeout=30,
)
response.raise_for_status()
print(response.json()["enabled"])
