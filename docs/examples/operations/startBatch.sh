curl "$SITEFETCH_URL/api/v1/scraper/batches/$BATCH_ID/start" \
  --request POST \
  --fail-with-body \
  --header "Authorization: Bearer $SITEFETCH_KEY"
