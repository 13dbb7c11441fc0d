import os
from sitefetch import Sitefetch

client = Sitefetch(base_url=os.environ["SITEFETCH_URL"], api_key=os.environ["SITEFETCH_KEY"])
delivery = client.webhooks.redeliver(os.environ["WEBHOOK_ID"], os.environ["DELIVERY_ID"])
print(delivery["status"])
