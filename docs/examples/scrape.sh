#!/usr/bin/env bash
# One page with curl: at once, and as a job.
#   SITEFETCH_URL=https://... SITEFETCH_KEY=sf_... ./scrape.sh https://example.com/
set -euo pipefail

page=$1
api="$SITEFETCH_URL/api/v1/scraper"
auth="Authorization: Bearer $SITEFETCH_KEY"

# The page is the body, what there is to say about it the headers. curl itself waits and tries again on 429, 502, 503
# and 504, and honours Retry-After; --fail-with-body ends with 22 on all other errors, which say why.
curl --silent --show-error --fail-with-body --retry 3 --max-time 130 --get "$api" --header "$auth" \
  --data-urlencode "url=$page" --data-urlencode "render_js=true" --dump-header headers.txt --output page.html
grep --ignore-case --extended-regexp '^x-(target|credits)' headers.txt

# As a job. The same Idempotency-Key makes a repeat harmless.
job=$(curl --silent --show-error --fail-with-body --retry 3 "$api/jobs" --header "$auth" \
  --header "Content-Type: application/json" --header "Idempotency-Key: $(cat /proc/sys/kernel/random/uuid)" \
  --data "{\"url\": \"$page\"}" | sed 's/.*"job_id":"\([^"]*\)".*/\1/')

# 409 until it is done: --retry-all-errors waits as long as Retry-After says.
curl --silent --show-error --fail-with-body --retry 30 --retry-all-errors "$api/jobs/$job/result" --header "$auth" \
  --output result.html
echo "page.html $(wc -c <page.html) bytes, result.html $(wc -c <result.html) bytes"
