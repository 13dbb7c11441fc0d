curl --get "$SITEFETCH_URL/api/v1/scraper" \
  --fail-with-body \
  --header "Authorization: Bearer $SITEFETCH_KEY" \
  --data-urlencode "url=https://example.com/" \
  --data-urlencode "render_js=true"
