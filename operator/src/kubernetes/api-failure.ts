import { STATUS_CODES } from "node:http";
import type { ApiResponse } from "./api-server.ts";

/** Messages list every fault of an object; past this nobody reads on. */
const maxLength = 2_000;

/** Whether the server did what it was asked to. */
export const isSuccess = ({ status }: ApiResponse): boolean => status >= 200 && status < 300;

/**
 * Whether something cannot be made because its namespace is being deleted.
 * https://github.com/kubernetes/kubernetes/blob/v1.37.2/plugin/pkg/admission/namespace/lifecycle/admission.go
 */
export function isOfEndingNamespace({ status, body }: ApiResponse): boolean {
  type Cause = { readonly reason?: unknown };
  type Refusal = { readonly details?: { readonly causes?: readonly Cause[] } | null } | null | undefined;
  if (status !== 403 || typeof body !== "object") return false;
  return (body as Refusal)?.details?.causes?.some(({ reason }) => reason === "NamespaceTerminating") === true;
}

/**
 * What went wrong, in words: `409 Conflict: Operation cannot be fulfilled on …`. The reason and the message are those of the
 * Status that Kubernetes answers; whoever else answers (a proxy) is quoted.
 */
export function apiFailure({ status, body }: ApiResponse): string {
  const { reason, message } = describe(body);
  const name = reason ?? STATUS_CODES[status];
  const head = name === undefined ? `${status}` : `${status} ${name}`;
  return message === "" ? head : `${head}: ${message.length > maxLength ? `${message.slice(0, maxLength)}…` : message}`;
}

function describe(body: unknown): { readonly reason?: string; readonly message: string } {
  if (typeof body === "string") return { message: body.trim().replaceAll(/\s+/g, " ").slice(0, 200) };
  if (typeof body !== "object" || body === null) return { message: "" };
  const { reason, message } = body as { readonly reason?: unknown; readonly message?: unknown };
  return {
    ...(typeof reason === "string" && reason !== "" && { reason }),
    message: typeof message === "string" ? message : "",
  };
}
