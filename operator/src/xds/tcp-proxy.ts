import type { Any } from "@bufbuild/protobuf/wkt";
import { TcpProxySchema } from "@gatewright/crd-types/proto/envoy/extensions/filters/network/tcp_proxy/v3/tcp_proxy_pb";
import type { AccessLog, TcpProxy } from "../ir/index.ts";
import { buildAccessLog } from "./access-log.ts";
import type { Init } from "./init.ts";
import { packAny } from "./proto/index.ts";

type ProxyInit = Init<typeof TcpProxySchema>;

/** No cluster has this name, and none can: Envoy closes connections that are sent there. */
const nowhere = "unresolved-backend";

const closesAll: TcpProxy = { backends: [], failingWeight: 0 };

export function buildTcpProxy(
  tcp: TcpProxy = closesAll,
  { statPrefix, accessLog }: { readonly statPrefix: string; readonly accessLog: AccessLog | undefined },
): Any {
  return packAny(TcpProxySchema, {
    statPrefix,
    clusterSpecifier: destination(tcp),
    accessLog: accessLog === undefined ? [] : [buildAccessLog(accessLog)],
  });
}

function destination({ backends, failingWeight }: TcpProxy): NonNullable<ProxyInit["clusterSpecifier"]> {
  const clusters = backends.map(({ cluster, weight }) => ({ name: cluster, weight }));
  if (failingWeight > 0) clusters.push({ name: nowhere, weight: failingWeight });
  const [first, ...others] = clusters;
  return others.length === 0
    ? { case: "cluster", value: first?.name ?? nowhere }
    : { case: "weightedClusters", value: { clusters } };
}
