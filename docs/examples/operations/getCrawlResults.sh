curl "$SITEFETCH_URL/api/v1/crawls/$CRAWL_ID/results?include=body" \
  --fail-with-body \
  --header "Authorization: Bearer $SITEFETCH_KEY"
