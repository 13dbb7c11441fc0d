import os, sys
import requests


def read_page(url: str, offset: int = 0) -> str:
    """Read a web page as Markdown. If its end names an offset, call again with it for more."""
    response = requests.post(
        f"{os.environ['SITEFETCH_URL']}/api/v1/scraper",
        headers={"Authorization": f"Bearer {os.environ['SITEFETCH_KEY']}"},
        json={
            **{"url": url, "mode": "auto", "format": "markdown", "max_age": 3600, "max_credits": 5},
            **{"max_chars": 20000, "offset": offset},
        },
        timeout=130,
    )
    if not response.ok:
        return f"Error: {response.json()['message']}"
    following = response.headers.get("X-Next-Offset")
    return response.text + (f"\n\nMore at offset {following}." if following else "")


if __name__ == "__main__":
    print(read_page(sys.argv[1], int(sys.argv[2])))
