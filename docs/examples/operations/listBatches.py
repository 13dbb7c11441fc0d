import os
import requests

response = requests.get(
    f"{os.environ['SITEFETCH_URL']}/api/v1/scraper/batches",
    headers={"Authorization": f"Bearer {os.environ['SITEFETCH_KEY']}"},
    params={"limit": 10},
    timeout=30,
)
response.raise_for_status()
for batch in response.json()["data"]:
    print(batch["batch_id"], batch["status"], batch["counts"])
