curl "$SITEFETCH_URL/openapi.json" \
  --fail-with-body
