curl "$SITEFETCH_URL/api/v1/webhooks" \
  --fail-with-body \
  --header "Authorization: Bearer $SITEFETCH_KEY" \
  --header "Content-Type: application/json" \
  --data '{"url": "https://example.com/hooks", "events": ["job.failed"]}'
