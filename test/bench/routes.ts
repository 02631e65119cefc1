import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** How the routes lie on disk: each in a file of its own, or all in one. */
export type Layout = "files" | "one-file";

/** A route with a host of its own, one prefix rule and one header filter, as in published comparisons. */
export const route = (index: number, version: string, note = ""): string => `apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: route-${index}, namespace: bench, annotations: {note: "${note}"}}
spec:
  parentRefs: [{name: gw}]
  hostnames: [r${index}.example.com]
  rules:
  - matches: [{path: {type: PathPrefix, value: /}}]
    filters:
    - type: ResponseHeaderModifier
      responseHeaderModifier: {set: [{name: x-version, value: "${version}"}]}
    backendRefs: [{name: app, port: 80}]
`;

export const hostOf = (index: number): string => `r${index}.example.com`;

const base = (listenPort: number, backendPort: number): string => `apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: gw, namespace: bench}
spec:
  gatewayClassName: gatewright
  listeners: [{name: web, port: ${listenPort}, protocol: HTTP}]
---
apiVersion: v1
kind: Service
metadata: {name: app, namespace: bench}
spec: {ports: [{name: http, port: 80}]}
---
${endpoints(backendPort)}`;

export const endpoints = (backendPort: number): string => `apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: app-1, namespace: bench, labels: {kubernetes.io/service-name: app}}
addressType: IPv4
ports: [{name: http, port: ${backendPort}}]
endpoints: [{addresses: ["127.0.0.1"], conditions: {ready: true}}]
`;

export type Bed = {
  /** Edits one route on disk, by rename. */
  readonly edit: (index: number, version: string) => Promise<void>;
  /** Changes only an annotation: the file is read, and nothing follows from it. */
  readonly annotate: (index: number, note: string) => Promise<void>;
};

/** Writes a Gateway, a Service and `count` routes into `folder`; edits are prepared in \`scratch\`, beside it. */
export async function makeBed(
  folder: string,
  scratch: string,
  count: number,
  layout: Layout,
  ports: { readonly listen: number; readonly backend: number },
): Promise<Bed> {
  await mkdir(folder, { recursive: true });
  await mkdir(scratch, { recursive: true });
  await writeFile(join(folder, "base.yaml"), base(ports.listen, ports.backend));
  const documents = Array.from({ length: count }, (_, index) => route(index, "0"));
  const put = async (name: string, text: string) => {
    await writeFile(join(scratch, name), text);
    await rename(join(scratch, name), join(folder, name));
  };
  const writeAll = () => put("routes.yaml", documents.join("---\n"));
  if (layout === "one-file") await writeAll();
  else for (const [index, text] of documents.entries()) await put(`route-${index}.yaml`, text);
  const save = (index: number, text: string) => {
    documents[index] = text;
    return layout === "one-file" ? writeAll() : put(`route-${index}.yaml`, text);
  };
  const versions = new Map<number, string>();
  return {
    edit: (index, version) => {
      versions.set(index, version);
      return save(index, route(index, version));
    },
    annotate: (index, note) => save(index, route(index, versions.get(index) ?? "0", note)),
  };
}
