curl --head "$SITEFETCH_URL/api/v1/scraper/jobs/$JOB_ID/result" \
  --fail-with-body \
  --header "Authorization: Bearer $SITEFETCH_KEY"
