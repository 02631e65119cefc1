// Options that several subcommands have.
import { InvalidArgumentError, Option } from "commander";
import { logFormats, logLevels } from "../lib/index.ts";

export const defaultController = "gatewright.dev/gateway-controller";
export const defaultClass = "gatewright";
export const rootNamespace = "gatewright-system";

export const controllerOption = (): Option =>
  new Option("--controller-name <name>", "GatewayClasses with this controllerName are ours").default(defaultController);

export const classOption = (): Option =>
  new Option("--gateway-class <name>", "a GatewayClass that is there without a file").default(defaultClass);

export const logLevelOption = (): Option =>
  new Option("--log-level <level>", "the least that is logged (default: warn beside a table, else info)").choices(
    logLevels,
  );

export const logFormatOption = (): Option =>
  new Option("--log-format <format>", "text for people, json for programs").choices(logFormats).default("text");

/** A parser of whole numbers in a range, with what is wrong in words. */
export const wholeNumber =
  (least: number, most: number) =>
  (text: string): number => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= least && value <= most) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
  };

/** `namespace/name`. */
export function objectName(text: string): string {
  if (/^[a-z0-9.-]+\/[a-z0-9.-]+$/.test(text)) return text;
  throw new InvalidArgumentError("It must be of the form namespace/name.");
}
