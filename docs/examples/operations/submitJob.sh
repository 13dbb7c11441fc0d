curl "$SITEFETCH_URL/api/v1/scraper/jobs" \
  --fail-with-body \
  --header "Authorization: Bearer $SITEFETCH_KEY" \
  --header "Content-Type: application/json" \
  --header "Idempotency-Key: order-4711" \
  --data '{
    "url": "https://example.com/",
    "render_js": true
  }'
