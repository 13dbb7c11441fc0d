import os
from sitefetch import Sitefetch

client = Sitefetch(base_url=os.environ["SITEFETCH_URL"], api_key=os.environ["SITEFETCH_KEY"])
webhook = client.webhooks.create("https://example.com/hooks", events=["job.failed"])
print(webhook["webhook_id"], webhook["secret"])
