curl "$SITEFETCH_URL/api/v1/scraper/jobs/$JOB_ID" \
  --request DELETE \
  --include \
  --fail-with-body \
  --header "Authorization: Bearer $SITEFETCH_KEY"
