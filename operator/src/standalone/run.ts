import { statSync } from "node:fs";
import { open } from "node:fs/promises";
import { isIP } from "node:net";
import { isAbsolute, relative, resolve, sep } from "node:path";
import type { Settings } from "../gatewayapi/index.ts";
import { createLogger, type LogFormat, type Logger, type LogLevel, messageOf } from "../lib/index.ts";
import { createLooseEnds, placeIn, problemsOfFiles, withDefaultClass } from "../overview/index.ts";
import { createFileSource, type FileSource } from "../source/index.ts";
import type { Board } from "./board.ts";
import { createLogDisplay, type Display } from "./display.ts";
import { resolveEnvoy } from "./envoy-binary.ts";
import { createGuard } from "./guard.ts";
import { probePort } from "./host.ts";
import { createRunFolder, openOutputPipe, removeRunFolder } from "./run-folder.ts";
import { type Session, type SessionOptions, startSession } from "./session.ts";
import { keepStatusFiles } from "./status-files.ts";
import { createTerminalDisplay, type Terminal } from "./terminal-display.ts";

export type StandaloneOptions = {
  /** Folders or files. */
  readonly paths: readonly string[];
  readonly envoyPath: string | undefined;
  readonly statusFolder: string | undefined;
  readonly bindAddress: string;
  readonly adminPort: number | undefined;
  readonly concurrency: number;
  readonly drainMs: number;
  readonly gatewayClass: string;
  readonly settings: Settings;
  readonly strict: boolean;
  /** Where the table is shown; undefined: changes go to the log. */
  readonly terminal: Terminal | undefined;
  /** Warnings beside a table, all that happens otherwise, unless a level is given. */
  readonly log: { readonly level: LogLevel | undefined; readonly format: LogFormat };
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  readonly env: NodeJS.ProcessEnv;
  /** Calls the listener whenever the process is asked to end; returns how to stop that. */
  readonly onEndRequest: (listener: () => void) => () => void;
};

/** `ended`: by request. `problems`: `strict`, and something is wrong. */
export type StandaloneEnd =
  | { readonly kind: "ended" | "problems" }
  | { readonly kind: "failed"; readonly message: string };

/** Serves folders of YAML on this host until it is asked to end. */
export async function runStandalone(options: StandaloneOptions): Promise<StandaloneEnd> {
  const { terminal, log, env } = options;
  const screen: { display?: Display & { readonly log?: (line: string) => void } } = {};
  const write = (line: string) => (screen.display?.log ?? options.err)(line);
  const logger = createLogger({ level: log.level ?? (terminal ? "warn" : "info"), format: log.format, write });

  const obstacle = await findObstacle(options);
  if (obstacle !== undefined) return { kind: "failed", message: obstacle };
  const envoy = await resolveEnvoy({ path: options.envoyPath, env, report: (line) => options.err(`${line}\n`) });
  if (envoy.kind === "unavailable") return { kind: "failed", message: envoy.message };
  if (envoy.warning !== undefined) logger.warn({}, envoy.warning);

  const title = `gatewright standalone · ${options.paths.join(" ")} · Envoy ${envoy.version}`;
  const display = (board: Board): Display =>
    (screen.display = terminal
      ? createTerminalDisplay({ terminal, board: () => board, title: () => title, color: wantsColor(env) })
      : createLogDisplay(logger));
  // From here on there is something to put away.
  const request = listenForEnd(options.onEndRequest);
  const folder = await createRunFolder(env);
  const guard = createGuard(folder);
  const pipe = await openOutputPipe(folder, (line) => (screen.display?.log ?? options.out)(`${line}\n`));
  try {
    return await serve(options, logger, request, {
      envoy: envoy.path,
      folder,
      guard,
      stdout: pipe.fd,
      display,
      verbose: log.level === "debug",
      logger,
      settings: options.settings,
      concurrency: options.concurrency,
      drainMs: options.drainMs,
      bindAddress: options.bindAddress,
      ...(options.adminPort === undefined ? {} : { adminPort: options.adminPort }),
    });
  } finally {
    pipe.close();
    await removeRunFolder(folder);
    guard.close();
    request.stop();
  }
}

async function serve(
  options: StandaloneOptions,
  logger: Logger,
  request: EndRequest,
  sessionOptions: Omit<SessionOptions, "place">,
): Promise<StandaloneEnd> {
  const { paths, gatewayClass, settings, statusFolder } = options;
  const fallback = withDefaultClass(gatewayClass, settings.controllerName);
  const source: FileSource = createFileSource({
    paths,
    logger,
    watch: true,
    onChanges: (changes) => {
      const all = fallback.apply(changes);
      session.reconciler.apply(all);
      looseEnds.apply(all);
      if (looseEnds.problems() !== shown) showProblems();
    },
    onMoved: () => {
      session.refreshPlaces();
      looseEnds.refreshPlaces();
      showProblems();
    },
    onProblems: showProblems,
  });
  const looseEnds = createLooseEnds(settings.controllerName, placeIn(source));
  let shown = looseEnds.problems();
  const session = await startSession({ ...sessionOptions, place: placeIn(source) });
  const { reconciler } = session;
  const statusFiles =
    statusFolder === undefined ? undefined : keepStatusFiles(reconciler, statusFolder, settings, logger);
  reconciler.apply([fallback.initial]);
  looseEnds.apply([fallback.initial]);

  function showProblems(): void {
    shown = looseEnds.problems();
    session.display.showFileProblems([...problemsOfFiles(source.problems()), ...shown]);
  }

  const isAskedToEnd = request.first.then(() => true);
  try {
    if (await Promise.race([source.start().then(() => false), isAskedToEnd])) return { kind: "ended" };
    reconciler.synced();
    void session.settled().then(() => statusFiles?.open());
    if (options.strict && (await Promise.race([hasProblems(session, source), request.first.then(() => false)])))
      return { kind: "problems" };
    await request.first;
    return { kind: "ended" };
  } finally {
    await source.close();
    // Whoever asks twice wants it to end now.
    await Promise.race([session.close(), request.second.then(session.kill)]);
    await statusFiles?.close();
  }
}

async function hasProblems({ settled, board }: Session, source: FileSource): Promise<boolean> {
  await settled();
  return [...problemsOfFiles(source.problems()), ...board.problems()].some(({ isWarning }) => !isWarning);
}

/** The first and the second request to end. */
type EndRequest = { readonly first: Promise<void>; readonly second: Promise<void>; readonly stop: () => void };

function listenForEnd(onEndRequest: StandaloneOptions["onEndRequest"]): EndRequest {
  const first = Promise.withResolvers<void>();
  const second = Promise.withResolvers<void>();
  let requests = 0;
  const stop = onEndRequest(() => (++requests === 1 ? first : second).resolve());
  return { first: first.promise, second: second.promise, stop };
}

async function findObstacle(options: StandaloneOptions): Promise<string | undefined> {
  const { paths, bindAddress, statusFolder, settings } = options;
  const missing = paths.filter((path) => !isFileOrFolder(path));
  if (missing.length > 0) return `there is no file or folder ${missing.join(", ")}`;
  const around = statusFolder === undefined ? undefined : paths.find((path) => isInside(statusFolder, path));
  if (around !== undefined)
    return `--status-dir ${statusFolder}: it must not be in ${around}, or statuses would be read as manifests`;
  if (isIP(bindAddress) === 0) return `--bind ${bindAddress}: it must be an IP address`;
  if ((await probePort(bindAddress, 0)) !== "free") return `--bind ${bindAddress}: it is no address of this host`;
  return await logObstacle(settings.accessLogPath);
}

/** Envoy refuses every listener that is to log where it cannot write. */
async function logObstacle(path: string | undefined): Promise<string | undefined> {
  if (path === undefined || path === "stdout") return undefined;
  try {
    await (await open(path, "a")).close();
    return undefined;
  } catch (error) {
    return `--access-log ${path}: it cannot be written: ${messageOf(error)}`;
  }
}

/** Pipes and devices cannot be watched, and reading one may never end. */
function isFileOrFolder(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found !== undefined && (found.isFile() || found.isDirectory());
}

function isInside(path: string, folder: string): boolean {
  const way = relative(resolve(folder), resolve(path));
  return way === "" || (!isAbsolute(way) && way.split(sep)[0] !== "..");
}

/** https://no-color.org */
const wantsColor = (env: NodeJS.ProcessEnv): boolean => !env["NO_COLOR"] && env["TERM"] !== "dumb";
