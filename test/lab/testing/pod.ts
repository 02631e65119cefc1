/** A pod of one container, as far as a test cares. */
export type PodOptions = {
  readonly name: string;
  /** What the container's shell runs. */
  readonly script?: string;
  readonly image?: string;
  readonly container?: Readonly<Record<string, unknown>>;
  readonly spec?: Readonly<Record<string, unknown>>;
};

/** The manifest of a pod whose container runs a shell script with this host's programs. */
export const podOf = ({ name, script, image = shellImage.match, container = {}, spec = {} }: PodOptions): string =>
  JSON.stringify({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, labels: { app: name } },
    spec: {
      containers: [{ name: "main", image, ...(script !== undefined && { args: [script] }), ...container }],
      ...spec,
    },
  });

/** What stands for the image of such pods. */
export const shellImage = { match: "lab.test/shell", entrypoint: ["/bin/bash", "-c"] } as const;
