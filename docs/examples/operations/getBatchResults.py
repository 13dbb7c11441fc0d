import json
import os
import requests

batch = f"{os.environ['SITEFETCH_URL']}/api/v1/scraper/batches/{os.environ['BATCH_ID']}"
response = requests.get(
    f"{batch}/results",
    headers={"Authorization": f"Bearer {os.environ['SITEFETCH_KEY']}"},
    params={"include": "body"},
    stream=True,
    timeout=30,
)
response.raise_for_status()
for line in response.iter_lines():
    result = json.loads(line)
    print(result.get("custom_id"), result["status"], len(result.get("body", "")), result["cursor"])
