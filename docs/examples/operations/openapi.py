import os
import requests

response = requests.get(f"{os.environ['SITEFETCH_URL']}/openapi.json", timeout=30)
response.raise_for_status()
print(response.json()["info"]["version"])
