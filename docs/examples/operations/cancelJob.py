import os
import requests

job = f"{os.environ['SITEFETCH_URL']}/api/v1/scraper/jobs/{os.environ['JOB_ID']}"
response = requests.post(
    f"{job}/cancel",
    headers={"Authorization": f"Bearer {os.environ['SITEFETCH_KEY']}"},
    timeout=30,
)
response.raise_for_status()
print(response.json()["status"], response.json()["error_code"])
