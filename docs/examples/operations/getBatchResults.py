import os
from sitefetch import Sitefetch

client = Sitefetch(base_url=os.environ["SITEFETCH_URL"], api_key=os.environ["SITEFETCH_KEY"])
for result in client.batches.results(os.environ["BATCH_ID"], include="body"):
    print(result.get("custom_id"), result["status"], len(result.get("body", "")))
