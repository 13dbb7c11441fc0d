curl "$SITEFETCH_URL/healthz" \
  --fail-with-body
