import type { Proxy } from "../ir/index.ts";
import { infraName, labelValue } from "./names.ts";

/** By this the objects that we made are found. */
const managedByLabel = { "app.kubernetes.io/managed-by": "gatewright" } as const;

/** What chooses the pods of a Gateway. A Deployment cannot change it. */
export const selectorLabels = ({ name }: Proxy): Record<string, string> => ({
  ...managedByLabel,
  "app.kubernetes.io/component": "proxy",
  "gateway.networking.k8s.io/gateway-name": labelValue(name),
});

/** Labels that users ask for, and ours, which go before those. */
export const labelsOf = (proxy: Proxy): Record<string, string> => ({
  ...proxy.labels,
  "app.kubernetes.io/name": "gatewright-proxy",
  "gateway.networking.k8s.io/gateway-class-name": labelValue(proxy.className),
  ...selectorLabels(proxy),
});

/** Of everything but pods. When the Gateway goes, all of it goes. */
export const metadataOf = (proxy: Proxy, annotations: Readonly<Record<string, string>> = {}) => ({
  name: infraName(proxy),
  namespace: proxy.namespace,
  labels: labelsOf(proxy),
  annotations: { ...annotations, ...proxy.annotations },
  ownerReferences: [
    {
      apiVersion: "gateway.networking.k8s.io/v1",
      kind: "Gateway",
      name: proxy.name,
      uid: proxy.uid,
      controller: true,
    },
  ],
});
