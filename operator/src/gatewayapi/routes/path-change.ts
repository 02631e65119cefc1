import type { HTTPPathModifier, HTTPRouteMatch } from "@gatewright/crd-types/gateway/v1";
import type { PathChange } from "../../ir/index.ts";
import { isAbsolutePath } from "./http-syntax.ts";
import type { RuleReport } from "./report.ts";

/** A new path for a rewrite or redirect; undefined where `report` says why there is none. */
export function translatePathChange(
  modifier: HTTPPathModifier,
  matches: readonly HTTPRouteMatch[],
  field: string,
  report: RuleReport,
): PathChange | undefined {
  const { type, replaceFullPath, replacePrefixMatch } = modifier;
  switch (type) {
    case "ReplaceFullPath": {
      if (replaceFullPath === undefined || replacePrefixMatch !== undefined) {
        report.refuse(field, "ReplaceFullPath takes replaceFullPath and nothing else");
        return undefined;
      }
      const value = absolute(replaceFullPath, `${field}.replaceFullPath`, report);
      return value === undefined ? undefined : { kind: "fullPath", value };
    }
    case "ReplacePrefixMatch": {
      if (replacePrefixMatch === undefined || replaceFullPath !== undefined) {
        report.refuse(field, "ReplacePrefixMatch takes replacePrefixMatch and nothing else");
        return undefined;
      }
      const isPrefix = matches.length === 1 && (matches[0]?.path?.type ?? "PathPrefix") === "PathPrefix";
      if (!isPrefix) {
        report.refuse(field, "ReplacePrefixMatch needs exactly one match in its rule, of type PathPrefix");
        return undefined;
      }
      const value = absolute(replacePrefixMatch, `${field}.replacePrefixMatch`, report);
      return value === undefined ? undefined : { kind: "prefix", value: value.replace(/(?<=.)\/+$/, "") };
    }
    default:
      report.refuse(`${field}.type`, `${JSON.stringify(type)} is not supported`);
      return undefined;
  }
}

/** Nothing stands for the root. */
function absolute(text: string, field: string, report: RuleReport): string | undefined {
  const path = text === "" ? "/" : text;
  if (isAbsolutePath(path)) return path;
  report.refuse(field, `${JSON.stringify(text)} is not an absolute path without query and fragment`);
  return undefined;
}
