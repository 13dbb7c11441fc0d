import os
import requests

job = f"{os.environ['SITEFETCH_URL']}/api/v1/scraper/jobs/{os.environ['JOB_ID']}"
response = requests.delete(
    job,
    headers={"Authorization": f"Bearer {os.environ['SITEFETCH_KEY']}"},
    timeout=30,
)
response.raise_for_status()
print(response.status_code)
