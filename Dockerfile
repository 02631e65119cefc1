# The operator's image, for those who build with Docker. The image that is released and tested is what `npm run image` builds; this file
# says the same in Docker's words. It is not tried in the gate: a test only keeps its versions in step with the rest.
#
#   docker buildx build --platform linux/amd64,linux/arm64 --tag gatewright:dev .

FROM --platform=$BUILDPLATFORM node:24.22.3-trixie-slim AS build-node

# Go reads the API types that code is generated from.
FROM --platform=$BUILDPLATFORM golang:1.27.3-trixie AS build
COPY --from=build-node /usr/local/bin/node /usr/local/bin/
COPY --from=build-node /usr/local/lib/node_modules/ /usr/local/lib/node_modules/
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm
WORKDIR /src
COPY . .
RUN npm ci && npm run build
# No script of a package is run: dependencies are the same for all processors.
RUN npm ci --omit=dev --omit=optional --ignore-scripts --workspace=@gatewright/operator
RUN mkdir -p /app/crd-types/src/generated/proto \
 && cp -r LICENSE NOTICE node_modules /app/ \
 && for package in crd-types constructs operator; do \
      mkdir -p /app/$package && cp -r $package/package.json $package/dist /app/$package/ || exit 1; \
    done \
 && cp -r crd-types/src/generated/crds /app/crd-types/src/generated/ \
 && cp crd-types/src/generated/proto/descriptors.binpb /app/crd-types/src/generated/proto/ \
 && rm -rf /app/node_modules/@gatewright/operator

FROM node:24.22.3-trixie-slim AS node

FROM debian:trixie-slim
RUN apt-get update && apt-get install --yes --no-install-recommends ca-certificates libstdc++6 && rm -rf /var/lib/apt/lists/*
COPY --from=node /usr/local/bin/node /usr/local/bin/
COPY --chmod=755 image/gatewright /usr/local/bin/
COPY --from=build /app /app
ENV SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt GATEWRIGHT_CACHE=/tmp/gatewright NODE_OPTIONS=--max-semi-space-size=4
USER 65532:65532
ENTRYPOINT ["/usr/local/bin/gatewright"]
CMD ["operator"]
