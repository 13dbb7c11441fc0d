curl "$SITEFETCH_URL/api/v1/account/activity?limit=10" \
  --fail-with-body \
  --header "Authorization: Bearer $SITEFETCH_KEY"
