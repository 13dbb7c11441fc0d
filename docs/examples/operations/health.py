import os
import requests

response = requests.get(f"{os.environ['SITEFETCH_URL']}/healthz", timeout=30)
response.raise_for_status()
print(response.json())
