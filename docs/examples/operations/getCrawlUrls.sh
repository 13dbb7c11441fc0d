curl "$SITEFETCH_URL/api/v1/crawls/$CRAWL_ID/urls?outcome=failed" \
  --fail-with-body \
  --header "Authorization: Bearer $SITEFETCH_KEY"
