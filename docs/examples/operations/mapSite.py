import os
from sitefetch import Sitefetch

client = Sitefetch(base_url=os.environ["SITEFETCH_URL"], api_key=os.environ["SITEFETCH_KEY"])
site = client.map("https://example.com/", limit=100)
for found in site["urls"]:
    print(found["url"], found.get("title"))
print("All URLs." if site["complete"] else "There may be more.")
