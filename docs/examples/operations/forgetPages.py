import os
import requests

response = requests.delete(
    f"{os.environ['SITEFETCH_URL']}/api/v1/cache",
    params={"url": "https://example.com/"},
    headers={"Authorization": f"Bearer {os.environ['SITEFETCH_KEY']}"},
    timeout=30,
)
response.raise_for_status()
print(response.status_code)
