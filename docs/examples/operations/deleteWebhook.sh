curl "$SITEFETCH_URL/api/v1/webhooks/$WEBHOOK_ID" \
  --request DELETE \
  --fail-with-body \
  --write-out '%{http_code}\n' \
  --header "Authorization: Bearer $SITEFETCH_KEY"
