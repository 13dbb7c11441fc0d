import os
from sitefetch import Sitefetch

client = Sitefetch(base_url=os.environ["SITEFETCH_URL"], api_key=os.environ["SITEFETCH_KEY"])
job = client.jobs.submit(
    "https://example.com/", render_js=True, idempotency_key="order-4711"
)
print(job["job_id"])
