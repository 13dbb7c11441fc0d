import os
from sitefetch import Sitefetch

client = Sitefetch(base_url=os.environ["SITEFETCH_URL"], api_key=os.environ["SITEFETCH_KEY"])
webhook = client.webhooks.update(os.environ["WEBHOOK_ID"], enabled=True)
print(webhook["enabled"])
