curl "$SITEFETCH_URL/api/v1/webhooks/$WEBHOOK_ID/rotate_secret" \
  --request POST \
  --fail-with-body \
  --header "Authorization: Bearer $SITEFETCH_KEY"
