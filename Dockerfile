FROM node:26-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
# The optional packages bundle Node and PostgreSQL; the image has Node, and DATABASE_URL names the database.
RUN npm ci --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund

FROM node:26-slim AS web
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY vite.config.ts ./
COPY src src
RUN node_modules/.bin/vite build

FROM node:26-slim
RUN rm -rf /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /opt/yarn* \
    && install -d -o node -g node -m 0700 /data
WORKDIR /app
COPY --from=dependencies /app/node_modules node_modules
# Without a lock file, bin/overture installs nothing.
COPY package.json LICENSE ./
COPY bin bin
COPY db db
COPY docs docs
COPY src src
COPY --from=web /app/dist dist
ENV NODE_ENV=production HOST=0.0.0.0 PORT=4400 OVERTURE_DATA=/data
USER node
VOLUME /data
EXPOSE 4400
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s \
    CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/healthz', { signal: AbortSignal.timeout(3000) }).then(response => process.exit(response.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["/app/bin/overture"]
CMD ["serve"]
