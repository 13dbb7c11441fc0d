curl "$SITEFETCH_URL/api/v1/map" \
  --fail-with-body \
  --header "Authorization: Bearer $SITEFETCH_KEY" \
  --header "Content-Type: application/json" \
  --data '{
    "url": "https://example.com/",
    "limit": 100
  }'
