// mocha's spec output, ended by one line that scripts can read: `N passed, N failed`.
import Mocha from "mocha";

export default class Reporter extends Mocha.reporters.Spec {
  constructor(runner: Mocha.Runner, options?: Mocha.MochaOptions) {
    super(runner, options);
    const stats = runner.stats;
    process.once("exit", () => console.log(`${stats?.passes ?? 0} passed, ${stats?.failures ?? 0} failed`));
  }
}
