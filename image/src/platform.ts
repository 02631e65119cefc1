// The processors that there are images for, as OCI and Debian name them, and as Node does.
export const architectures = ["amd64", "arm64"] as const;
export type Architecture = (typeof architectures)[number];

export const nodeArchitecture: Readonly<Record<Architecture, string>> = { amd64: "x64", arm64: "arm64" };

/** What containers of this machine run on. */
export const ownArchitecture: Architecture = process.arch === "arm64" ? "arm64" : "amd64";

export const isArchitecture = (text: string): text is Architecture => architectures.some((name) => name === text);
