import os
from sitefetch import Sitefetch

client = Sitefetch(base_url=os.environ["SITEFETCH_URL"], api_key=os.environ["SITEFETCH_KEY"])
crawl = client.crawls.submit(
    "https://example.com/", limit=50, request={"format": "markdown"}
)
print(crawl["crawl_id"])
