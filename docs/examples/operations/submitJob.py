import os
import requests

response = requests.post(
    f"{os.environ['SITEFETCH_URL']}/api/v1/scraper/jobs",
    headers={
        "Authorization": f"Bearer {os.environ['SITEFETCH_KEY']}",
        "Idempotency-Key": "order-4711",
    },
    json={"url": "https://example.com/", "render_js": True},
    timeout=30,
)
response.raise_for_status()
print(response.json()["job_id"])
