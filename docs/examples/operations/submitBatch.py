import os
from sitefetch import Sitefetch

client = Sitefetch(base_url=os.environ["SITEFETCH_URL"], api_key=os.environ["SITEFETCH_KEY"])
batch = client.batches.submit(
    [{"url": "https://example.com/", "custom_id": "home"}],
    defaults={"render_js": True},
)
print(batch["batch_id"])
