import os
from sitefetch import Sitefetch

client = Sitefetch(base_url=os.environ["SITEFETCH_URL"], api_key=os.environ["SITEFETCH_KEY"])
for delivery in client.webhooks.deliveries(os.environ["WEBHOOK_ID"]):
    print(delivery)
