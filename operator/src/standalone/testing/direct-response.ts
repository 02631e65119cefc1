// A bootstrap that needs no control plane, for tests of processes.

/** Answers every request on `port` with `body`; `/slow` is answered after `slowMs`, by an injected delay. */
export function directResponse(adminSocketPath: string, port: number, body: string, slowMs = 1_000): string {
  const manager = {
    "@type": "type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager",
    stat_prefix: "test",
    route_config: {
      virtual_hosts: [
        {
          name: "all",
          domains: ["*"],
          routes: [{ match: { prefix: "/" }, direct_response: { status: 200, body: { inline_string: body } } }],
        },
      ],
    },
    http_filters: [
      {
        name: "envoy.filters.http.fault",
        typed_config: {
          "@type": "type.googleapis.com/envoy.extensions.filters.http.fault.v3.HTTPFault",
          delay: { fixed_delay: `${slowMs / 1000}s`, percentage: { numerator: 100 } },
          headers: [{ name: ":path", string_match: { exact: "/slow" } }],
        },
      },
      {
        name: "envoy.filters.http.router",
        typed_config: { "@type": "type.googleapis.com/envoy.extensions.filters.http.router.v3.Router" },
      },
    ],
  };
  return JSON.stringify({
    admin: { address: { pipe: { path: adminSocketPath, mode: 0o600 } } },
    static_resources: {
      listeners: [
        {
          name: "test",
          address: { socket_address: { address: "127.0.0.1", port_value: port } },
          filter_chains: [
            { filters: [{ name: "envoy.filters.network.http_connection_manager", typed_config: manager }] },
          ],
        },
      ],
    },
  });
}
