import { parseArgs } from "node:util";
import { type Channel, channels, type Overlay, overlays } from "./crds.ts";
import type { OperatorOptions } from "./operator-options.ts";

/** What to print. */
export type Arguments =
  | { readonly kind: "help" }
  | { readonly kind: "wrong"; readonly message: string }
  | { readonly kind: "crds"; readonly channel: Channel; readonly overlay?: Overlay }
  | {
      readonly kind: "install";
      /** Undefined: without definitions. */
      readonly channel?: Channel;
      readonly overlay?: Overlay;
      readonly operator: OperatorOptions;
      readonly guard: boolean;
    };

const defaults = {
  channel: "standard",
  namespace: "gatewright-system",
  replicas: "2",
  "controller-name": "gatewright.dev/gateway-controller",
  "gateway-class": "gatewright",
} as const;

export const usage = `Usage: npm run --silent charts -- [COMMAND] [OPTIONS] | kubectl apply --server-side -f -

Commands:
  crds (or none)   the CustomResourceDefinitions of the Gateway API and of Gatewright, and the roles by which people may use
                   Gatewright's
  install          all of that, and the operator with what it needs: namespace, roles, Deployment, Service, GatewayClass

kubectl looks up all kinds before it applies anything: where the definitions are new, apply those first, and then install
--no-crds.

Options:
  --channel NAME   the Gateway API's release channel, ${channels.join(" or ")} (default ${defaults.channel})
  --overlay NAME   definitions with more than was released: ${overlays.join(", ")} (for --channel experimental only)
  --help           this text

Options of install:
  --image IMAGE            the operator's image (required)
  --namespace NAME         where the operator runs (default ${defaults.namespace})
  --replicas N             of the operator: one writes, all serve proxies (default ${defaults.replicas})
  --controller-name NAME   what GatewayClasses name (default ${defaults["controller-name"]})
  --gateway-class NAME     the GatewayClass to make; "" for none (default ${defaults["gateway-class"]})
  --proxy-image IMAGE      the image of Envoy, where no MeshConfig names one
  --no-crds                without definitions: they are in the cluster already
  --no-guard               without the ValidatingAdmissionPolicy that keeps the operator to what it has made; for Kubernetes before 1.30
`;

const options = {
  channel: { type: "string", default: defaults.channel },
  overlay: { type: "string" },
  help: { type: "boolean", default: false },
  image: { type: "string" },
  namespace: { type: "string", default: defaults.namespace },
  replicas: { type: "string", default: defaults.replicas },
  "controller-name": { type: "string", default: defaults["controller-name"] },
  "gateway-class": { type: "string", default: defaults["gateway-class"] },
  "proxy-image": { type: "string" },
  "no-crds": { type: "boolean", default: false },
  "no-guard": { type: "boolean", default: false },
} as const;

const wrong = (message: string): Arguments => ({ kind: "wrong", message });

export function parseArguments(args: readonly string[]): Arguments {
  let parsed;
  try {
    parsed = parseArgs({ args: [...args], options, allowPositionals: true, tokens: true });
  } catch (error) {
    return wrong(error instanceof Error ? error.message : String(error));
  }
  const { values, positionals, tokens } = parsed;
  if (values.help) return { kind: "help" };
  const [command = "crds", ...more] = positionals;
  if (more.length > 0 || (command !== "crds" && command !== "install"))
    return wrong(`no command ${positionals.join(" ")}: there are crds and install`);
  const channel = channels.find((name) => name === values.channel);
  if (channel === undefined) return wrong(`--channel ${values.channel}: it must be one of ${channels.join(", ")}`);
  const overlay = overlays.find((name) => name === values.overlay);
  if (values.overlay !== undefined && overlay === undefined)
    return wrong(`--overlay ${values.overlay}: it must be ${overlays.join(" or ")}`);
  if (overlay !== undefined && channel !== "experimental") return wrong("--overlay needs --channel experimental");
  if (command === "crds") {
    const given = tokens.find((token) => token.kind === "option" && !["channel", "overlay"].includes(token.name));
    return given?.kind === "option"
      ? wrong(`--${given.name} is an option of install`)
      : { kind: "crds", channel, ...(overlay !== undefined && { overlay }) };
  }
  return install(values, channel, overlay);
}

type Values = ReturnType<typeof parseArgs<{ options: typeof options }>>["values"];

function install(values: Values, channel: Channel, overlay: Overlay | undefined): Arguments {
  const { image, namespace, replicas } = values;
  if (image === undefined) return wrong("install needs --image");
  if (!/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(namespace)) return wrong(`--namespace ${namespace}: it is no name`);
  if (!/^[1-9]\d?$/.test(replicas)) return wrong(`--replicas ${replicas}: it must be a number from 1 to 99`);
  const gatewayClass = values["gateway-class"];
  const proxyImage = values["proxy-image"];
  return {
    kind: "install",
    guard: !values["no-guard"],
    ...(!values["no-crds"] && { channel, ...(overlay !== undefined && { overlay }) }),
    operator: {
      image,
      namespace,
      replicas: Number(replicas),
      controllerName: values["controller-name"],
      ...(gatewayClass !== "" && { gatewayClass }),
      ...(proxyImage !== undefined && { proxyImage }),
    },
  };
}
