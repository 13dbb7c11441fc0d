curl "$SITEFETCH_URL/api/v1/scraper/jobs/$JOB_ID/cancel" \
  --request POST \
  --fail-with-body \
  --header "Authorization: Bearer $SITEFETCH_KEY"
