curl "$SITEFETCH_URL/api/v1/webhooks/$WEBHOOK_ID/deliveries?limit=10" \
  --fail-with-body \
  --header "Authorization: Bearer $SITEFETCH_KEY"
