# The local stack in a container, for machines without Linux, on any machine with Docker.
FROM --platform=linux/amd64 node:24-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci && npm cache clean --force

FROM --platform=linux/amd64 node:24-bookworm-slim
WORKDIR /app
COPY --from=packages /app/node_modules node_modules
COPY . .
# Chromium unpacks into .cache, and the state goes to the volume: nothing else is written.
RUN mkdir -p .cache /state && chown node:node .cache /state
USER node
ENV HOST=0.0.0.0 LOCAL_DIR=/state
VOLUME /state
EXPOSE 3000 3001
HEALTHCHECK --interval=10s --timeout=5s --start-period=2m --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:3000/healthz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node_modules/.bin/node", "local/main.ts"]
