curl "$SITEFETCH_URL/api/v1/scraper/batches/$BATCH_ID/results?include=body" \
  --fail-with-body \
  --header "Authorization: Bearer $SITEFETCH_KEY"
