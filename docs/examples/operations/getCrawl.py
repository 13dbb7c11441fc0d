import os
from sitefetch import Sitefetch

client = Sitefetch(base_url=os.environ["SITEFETCH_URL"], api_key=os.environ["SITEFETCH_KEY"])
crawl = client.crawls.get(os.environ["CRAWL_ID"])
print(crawl["status"], crawl["counts"])
