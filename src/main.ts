// The command line. bin/start.cjs loads the bundle of this.
import { run } from './cli/run.ts';

void run(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});
