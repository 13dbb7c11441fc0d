import os
from sitefetch import Sitefetch

client = Sitefetch(base_url=os.environ["SITEFETCH_URL"], api_key=os.environ["SITEFETCH_KEY"])
for result in client.crawls.results(os.environ["CRAWL_ID"], include="body"):
    print(result["url"], result["status"], len(result.get("body", "")))
