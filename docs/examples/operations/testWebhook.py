import os
import requests

response = requests.post(
    f"{os.environ['SITEFETCH_URL']}/api/v1/webhooks/{os.environ['WEBHOOK_ID']}/test",
    headers={"Authorization": f"Bearer {os.environ['SITEFETCH_KEY']}"},
    timeout=30,
)
response.raise_for_status()
print(response.json()["delivery_id"])
