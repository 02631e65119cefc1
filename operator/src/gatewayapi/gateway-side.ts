import type { Proxy } from "../ir/index.ts";
import type { Graph, Table } from "../lib/index.ts";
import { createAttachments, createListenerHosts } from "./attach/index.ts";
import { createClasses } from "./classes.ts";
import {
  type CertificateTables,
  createCertificates,
  createGateways,
  createGatewayTls,
  createOwnGateways,
  createParameters,
  createProxies,
  indexFrontendAuthorities,
} from "./gateway/index.ts";
import type { Inputs } from "./inputs.ts";
import { indexPolicyAuthorities } from "./policies/index.ts";
import { createGrants } from "./refs/index.ts";
import { createRouteObjects, type RouteObjects } from "./route-objects.ts";
import { type Authorities, createAuthorities } from "./trust/index.ts";
import type { GatewaySide } from "./views.ts";

/** All that can be said of classes, Gateways and attachments without looking into a route's rules. */
export function createGatewaySide(
  graph: Graph,
  inputs: Inputs,
): GatewaySide &
  CertificateTables & {
    readonly proxies: Table<Proxy>;
    readonly routeObjects: RouteObjects;
    readonly authorities: Authorities;
  } {
  const classes = createClasses(graph, inputs);
  const own = createOwnGateways(graph, inputs, classes);
  const grants = createGrants(graph, inputs.store);
  const certificates = createCertificates(graph, inputs, own);
  const authorities = createAuthorities(graph, inputs.store, [
    indexFrontendAuthorities(graph, own),
    indexPolicyAuthorities(graph, inputs.store),
  ]);
  const { gatewayTls, clientCertificates } = createGatewayTls(graph, { own, grants, certificates, authorities });
  const parameters = createParameters(graph, inputs, own);
  const gateways = createGateways(graph, inputs, { own, classes, grants, certificates, gatewayTls, parameters });
  const routeObjects = createRouteObjects(graph, inputs.store);
  return {
    classes,
    routeObjects,
    gateways,
    attachments: createAttachments(graph, inputs, routeObjects, gateways),
    ...createListenerHosts(graph, gateways),
    ...certificates,
    clientCertificates,
    authorities,
    proxies: createProxies(graph, { own, classes, parameters, gateways }),
  };
}
