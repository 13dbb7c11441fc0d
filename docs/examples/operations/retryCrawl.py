import os
from sitefetch import Sitefetch

client = Sitefetch(base_url=os.environ["SITEFETCH_URL"], api_key=os.environ["SITEFETCH_KEY"])
crawl = client.crawls.retry_failed(os.environ["CRAWL_ID"])
print(crawl["crawl_id"], crawl["counts"]["discovered"])
