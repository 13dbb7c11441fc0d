curl "$SITEFETCH_URL/api/v1/account/usage" \
  --fail-with-body \
  --header "Authorization: Bearer $SITEFETCH_KEY"
