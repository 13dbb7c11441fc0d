#!/usr/bin/env bash
# What is in a page, with curl: its text as Markdown, a picture of all of it, and a PDF, in a new folder.
#   SITEFETCH_URL=https://... SITEFETCH_KEY=sf_... ./outputs.sh https://example.com/
set -euo pipefail

if [[ $# -ne 1 || -z "${SITEFETCH_URL:-}" || -z "${SITEFETCH_KEY:-}" ]]; then
  echo "Usage: SITEFETCH_URL=https://... SITEFETCH_KEY=sf_... $0 https://example.com/" >&2
  exit 2
fi
folder=$(mktemp -d -t sitefetch-XXXXXX)

# Writes the output of one request to a file. curl repeats the request after 429 and 503.
save() {
  if ! curl --silent --show-error --fail-with-body --max-time 130 --retry 3 --output "$folder/$1" \
    "${SITEFETCH_URL%/}/api/v1/scraper" --header "Authorization: Bearer $SITEFETCH_KEY" --json "$2"; then
    cat "$folder/$1" >&2
    exit 1
  fi
  echo "$folder/$1: $(wc -c <"$folder/$1") bytes"
}

# A URL holds no character that JSON escapes but these two.
url=${1//\\/\\\\}
url=${url//\"/\\\"}
save page.md "{\"url\": \"$url\", \"render_js\": true, \"format\": \"markdown\"}"
save page.png "{\"url\": \"$url\", \"format\": \"screenshot\", \"screenshot\": {\"full_page\": true}}"
save page.pdf "{\"url\": \"$url\", \"format\": \"pdf\", \"pdf\": {\"paper\": \"a4\"}}"
