import os
from sitefetch import Sitefetch

client = Sitefetch(base_url=os.environ["SITEFETCH_URL"], api_key=os.environ["SITEFETCH_KEY"])
webhook = client.webhooks.get(os.environ["WEBHOOK_ID"])
print(webhook["enabled"])
