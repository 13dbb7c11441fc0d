import os
from sitefetch import Sitefetch

client = Sitefetch(base_url=os.environ["SITEFETCH_URL"], api_key=os.environ["SITEFETCH_KEY"])
page = client.jobs.result(os.environ["JOB_ID"])
print(page.text())
