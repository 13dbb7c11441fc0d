import os
from sitefetch import Sitefetch

client = Sitefetch(base_url=os.environ["SITEFETCH_URL"], api_key=os.environ["SITEFETCH_KEY"])
for crawl in client.crawls.list():
    print(crawl["crawl_id"], crawl["status"], crawl["counts"])
