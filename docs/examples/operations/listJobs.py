import os
import requests

response = requests.get(
    f"{os.environ['SITEFETCH_URL']}/api/v1/scraper/jobs",
    headers={"Authorization": f"Bearer {os.environ['SITEFETCH_KEY']}"},
    params={"status": "completed", "limit": 10},
    timeout=30,
)
response.raise_for_status()
for job in response.json()["data"]:
    print(job["job_id"], job["credits_used"], job["url"])
