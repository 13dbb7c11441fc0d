curl "$SITEFETCH_URL/api/v1/webhooks/$WEBHOOK_ID" \
  --fail-with-body \
  --header "Authorization: Bearer $SITEFETCH_KEY"
