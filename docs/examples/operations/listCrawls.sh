curl "$SITEFETCH_URL/api/v1/crawls?limit=10" \
  --fail-with-body \
  --header "Authorization: Bearer $SITEFETCH_KEY"
