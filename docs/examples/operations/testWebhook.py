import os
from sitefetch import Sitefetch

client = Sitefetch(base_url=os.environ["SITEFETCH_URL"], api_key=os.environ["SITEFETCH_KEY"])
delivery = client.webhooks.test(os.environ["WEBHOOK_ID"])
print(delivery["delivery_id"], delivery["status"])
