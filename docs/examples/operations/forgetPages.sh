curl "$SITEFETCH_URL/api/v1/cache" \
  --get \
  --request DELETE \
  --include \
  --fail-with-body \
  --header "Authorization: Bearer $SITEFETCH_KEY" \
  --data-urlencode "url=https://example.com/"
