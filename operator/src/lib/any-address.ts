import { isIP } from "node:net";

/** Whether it stands for all addresses of a host. */
export const isAnyAddress = (address: string): boolean =>
  address === "0.0.0.0" || (isIP(address) === 6 && /^[0:]+$/.test(address));
