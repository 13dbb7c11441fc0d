#!/usr/bin/env bash
# One page with curl: at once, and as a job. What comes goes into a new folder, which is named at the end.
#   SITEFETCH_URL=https://... SITEFETCH_KEY=sf_... ./scrape.sh https://example.com/
set -euo pipefail

if [[ $# -ne 1 || -z "${SITEFETCH_URL:-}" || -z "${SITEFETCH_KEY:-}" ]]; then
  echo "Usage: SITEFETCH_URL=https://... SITEFETCH_KEY=sf_... $0 https://example.com/" >&2
  exit 2
fi
page=$1
api="${SITEFETCH_URL%/}/api/v1/scraper"
folder=$(mktemp -d -t sitefetch-XXXXXX)

# A field of the flat JSON in a file.
field() { sed -n "s/.*\"$1\":\"\{0,1\}\([^\",}]*\).*/\1/p" "$2"; }

# Calls the API for a file, and repeats the call while the error may pass. Ends with any other error.
ask() {
  local file="$folder/$1" status seconds
  shift
  for pause in 2 4 8 none; do
    status=$(curl --silent --show-error --max-time 130 --header "Authorization: Bearer $SITEFETCH_KEY" \
      --dump-header "$folder/headers.txt" --output "$file" --write-out '%{http_code}' "$@")
    [[ $status != 2* ]] || return 0
    [[ $(field retryable "$file") == true && $pause != none ]] || break
    # A refusal says how long to wait; after any other error, wait twice as long each time.
    seconds=$(field retry_after "$file")
    sleep "${seconds:-$pause}"
  done
  echo "error: $status $(cat "$file")" >&2
  exit 1
}

# The page is the body, what there is to say about it the headers.
ask page.html --get "$api" --data-urlencode "url=$page" --data-urlencode "render_js=true"
grep --ignore-case --extended-regexp '^x-(target|credits)' "$folder/headers.txt"

# As a job. The same Idempotency-Key makes a repeat harmless.
ask job.json "$api/jobs" --header "Content-Type: application/json" \
  --header "Idempotency-Key: $(cat /proc/sys/kernel/random/uuid)" --data "{\"url\": \"$page\"}"
job=$(field job_id "$folder/job.json")

# It ends in one of two states, after 15 minutes at the latest.
until [[ $(field status "$folder/job.json") == completed ]]; do
  sleep 2
  ask job.json "$api/jobs/$job"
  if [[ $(field status "$folder/job.json") == failed ]]; then
    cat "$folder/job.json" >&2
    exit 1
  fi
done
ask result.html "$api/jobs/$job/result"
echo "$folder: page.html $(wc -c <"$folder/page.html") bytes, result.html $(wc -c <"$folder/result.html") bytes"
