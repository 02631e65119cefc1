import { Command, CommanderError } from "commander";
import { checkCommand } from "./check.ts";
import { type ExitCode, exitCodes, type Finish, type Io } from "./io.ts";
import { operatorCommand } from "./operator.ts";
import { standaloneCommand } from "./standalone.ts";
import { translateCommand } from "./translate.ts";
import { productVersion, versionCommand } from "./version.ts";

/** Runs the command line and says how the process should end. `args` are those after the program's name. */
export async function runCli(args: readonly string[], io: Io): Promise<ExitCode> {
  let code: ExitCode = exitCodes.ok;
  const finish: Finish = (value) => {
    code = value;
  };
  const program = new Command("gatewright")
    .description("The Gateway API with Envoy as its data plane.")
    .version(productVersion(), "-V, --version", "print the version")
    .helpOption("-h, --help", "print this help")
    .showHelpAfterError("(add --help for the usage)")
    .showSuggestionAfterError(true)
    .configureOutput({ writeOut: io.out, writeErr: io.err })
    .exitOverride();
  const commands = [checkCommand, operatorCommand, standaloneCommand, translateCommand, versionCommand];
  for (const command of commands.map((make) => make(io, finish))) {
    program.addCommand(command.copyInheritedSettings(program));
  }
  if (args.length === 0) {
    program.outputHelp();
    return exitCodes.ok;
  }
  try {
    await program.parseAsync(args, { from: "user" });
    return code;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? exitCodes.ok : exitCodes.failed;
  }
}
