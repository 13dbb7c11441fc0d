import os
from sitefetch import Sitefetch

client = Sitefetch(base_url=os.environ["SITEFETCH_URL"], api_key=os.environ["SITEFETCH_KEY"])
batch = client.batches.retry_failed(os.environ["BATCH_ID"])
print(batch["batch_id"], batch["counts"]["total"])
