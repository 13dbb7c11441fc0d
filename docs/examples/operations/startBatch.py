import os
import requests

batch = f"{os.environ['SITEFETCH_URL']}/api/v1/scraper/batches/{os.environ['BATCH_ID']}"
response = requests.post(
    f"{batch}/start",
    headers={"Authorization": f"Bearer {os.environ['SITEFETCH_KEY']}"},
    timeout=30,
)
response.raise_for_status()
print(response.json()["status"], response.json()["counts"])
