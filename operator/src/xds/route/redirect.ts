import {
  RedirectAction_RedirectResponseCode,
  type RedirectActionSchema,
} from "@gatewright/crd-types/proto/envoy/config/route/v3/route_components_pb";
import type { RedirectAction, Route } from "../../ir/index.ts";
import { pathEdit } from "./path-edit.ts";
import type { Init } from "../init.ts";

type RedirectInit = Init<typeof RedirectActionSchema>;

export function buildRedirect(action: RedirectAction, match: Route["match"]): RedirectInit {
  return {
    ...(action.scheme === undefined
      ? {}
      : { schemeRewriteSpecifier: { case: "schemeRedirect", value: action.scheme } as const }),
    hostRedirect: action.host ?? "",
    portRedirect: action.port ?? 0,
    ...(action.path === undefined ? {} : { pathRewriteSpecifier: pathRewrite(match, action.path) }),
    responseCode: responseCodes[action.status],
  };
}

function pathRewrite(
  match: Route["match"],
  change: NonNullable<RedirectAction["path"]>,
): NonNullable<RedirectInit["pathRewriteSpecifier"]> {
  const edit = pathEdit(match.path, change);
  switch (edit?.kind) {
    case undefined:
      return { case: undefined };
    case "replace":
      return { case: "pathRedirect", value: edit.path };
    case "prefix":
      return { case: "prefixRewrite", value: edit.prefix };
    case "regex":
      return {
        case: "regexRewrite",
        value: { pattern: { regex: edit.pattern }, substitution: edit.substitution },
      };
  }
}

const { MOVED_PERMANENTLY, FOUND, SEE_OTHER, TEMPORARY_REDIRECT, PERMANENT_REDIRECT } =
  RedirectAction_RedirectResponseCode;
const responseCodes = {
  301: MOVED_PERMANENTLY,
  302: FOUND,
  303: SEE_OTHER,
  307: TEMPORARY_REDIRECT,
  308: PERMANENT_REDIRECT,
} as const;
