curl "$SITEFETCH_URL/api/v1/scraper/jobs?status=failed&tag=nightly" \
  --fail-with-body \
  --header "Authorization: Bearer $SITEFETCH_KEY"
