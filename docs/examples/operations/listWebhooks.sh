curl "$SITEFETCH_URL/api/v1/webhooks" \
  --fail-with-body \
  --header "Authorization: Bearer $SITEFETCH_KEY"
