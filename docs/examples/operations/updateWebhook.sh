curl "$SITEFETCH_URL/api/v1/webhooks/$WEBHOOK_ID" \
  --request PATCH \
  --fail-with-body \
  --header "Authorization: Bearer $SITEFETCH_KEY" \
  --header "Content-Type: application/json" \
  --data '{"enabled": true}'
