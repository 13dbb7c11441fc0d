import os
from sitefetch import Sitefetch

client = Sitefetch(base_url=os.environ["SITEFETCH_URL"], api_key=os.environ["SITEFETCH_KEY"])
job = client.jobs.get(os.environ["JOB_ID"])
print(job["status"])
