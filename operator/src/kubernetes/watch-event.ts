import { isFields } from "../lib/index.ts";
import type { ApiResponse } from "./api-server.ts";
import { isRawObject, type RawObject, resourceVersionOf } from "./raw-object.ts";

/** A line of a watch. https://kubernetes.io/docs/reference/using-api/api-concepts/#efficient-detection-of-changes */
export type WatchEvent =
  | { readonly kind: "present" | "gone"; readonly object: RawObject }
  /** Nothing happened to what is watched up to this version. */
  | { readonly kind: "bookmark"; readonly resourceVersion: string }
  /** The server ends the watch with a Status. */
  | { readonly kind: "error"; readonly response: ApiResponse }
  | { readonly kind: "unreadable"; readonly message: string };

export function parseWatchEvent(line: string): WatchEvent {
  const event = parseJson(line);
  if (!isFields(event)) return { kind: "unreadable", message: "a line of the watch is not JSON" };
  const { type, object } = event;
  switch (type) {
    case "ADDED":
    case "MODIFIED":
      return isRawObject(object) ? { kind: "present", object } : unnamed;
    case "DELETED":
      return isRawObject(object) ? { kind: "gone", object } : unnamed;
    case "BOOKMARK": {
      const resourceVersion = resourceVersionOf(object);
      return resourceVersion === undefined ? unnamed : { kind: "bookmark", resourceVersion };
    }
    case "ERROR":
      return { kind: "error", response: responseOf(object) };
    default:
      return { kind: "unreadable", message: `a line of the watch has the unknown type ${JSON.stringify(type)}` };
  }
}

const unnamed: WatchEvent = { kind: "unreadable", message: "an object of the watch has no name or no resourceVersion" };

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function responseOf(status: unknown): ApiResponse {
  const fields = isFields(status) ? status : {};
  const code = typeof fields["code"] === "number" ? fields["code"] : 500;
  const details = isFields(fields["details"]) ? fields["details"] : {};
  const seconds = details["retryAfterSeconds"];
  return { status: code, body: status, ...(typeof seconds === "number" && { retryAfterMs: seconds * 1_000 }) };
}
