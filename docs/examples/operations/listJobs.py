import os
from sitefetch import Sitefetch

client = Sitefetch(base_url=os.environ["SITEFETCH_URL"], api_key=os.environ["SITEFETCH_KEY"])
for job in client.jobs.list(status="completed"):
    print(job["job_id"], job["credits_used"], job["url"])
