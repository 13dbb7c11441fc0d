curl "$SITEFETCH_URL/api/v1/crawls/$CRAWL_ID/cancel" \
  --request POST \
  --fail-with-body \
  --header "Authorization: Bearer $SITEFETCH_KEY"
