curl "$SITEFETCH_URL/api/v1/scraper/batches/$BATCH_ID" \
  --fail-with-body \
  --header "Authorization: Bearer $SITEFETCH_KEY"
