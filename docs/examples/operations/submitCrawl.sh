curl "$SITEFETCH_URL/api/v1/crawls" \
  --fail-with-body \
  --header "Authorization: Bearer $SITEFETCH_KEY" \
  --header "Content-Type: application/json" \
  --data '{
    "url": "https://example.com/",
    "limit": 50,
    "request": { "format": "markdown" }
  }'
