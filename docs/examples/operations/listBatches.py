import os
from sitefetch import Sitefetch

client = Sitefetch(base_url=os.environ["SITEFETCH_URL"], api_key=os.environ["SITEFETCH_KEY"])
for batch in client.batches.list():
    print(batch["batch_id"], batch["status"], batch["counts"])
