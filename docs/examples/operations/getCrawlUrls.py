import os
from sitefetch import Sitefetch

client = Sitefetch(base_url=os.environ["SITEFETCH_URL"], api_key=os.environ["SITEFETCH_KEY"])
for found in client.crawls.urls(os.environ["CRAWL_ID"], outcome="failed"):
    print(found["url"], found.get("found_on"), found.get("error_code"))
