curl "$SITEFETCH_URL/api/v1/account" \
  --fail-with-body \
  --header "Authorization: Bearer $SITEFETCH_KEY"
