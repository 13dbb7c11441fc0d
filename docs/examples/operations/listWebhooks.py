import os
import requests

response = requests.get(
    f"{os.environ['SITEFETCH_URL']}/api/v1/webhooks",
    headers={"Authorization": f"Bearer {os.environ['SITEFETCH_KEY']}"},
    timeout=30,
)
response.raise_for_status()
print(response.json()["data"])
