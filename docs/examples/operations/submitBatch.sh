curl "$SITEFETCH_URL/api/v1/scraper/batches" \
  --fail-with-body \
  --header "Authorization: Bearer $SITEFETCH_KEY" \
  --header "Content-Type: application/json" \
  --data '{
    "defaults": { "render_js": true },
    "requests": [
      { "url": "https://example.com/", "custom_id": "home" }
    ]
  }'
