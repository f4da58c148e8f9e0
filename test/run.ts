// `./cumulet test [--quick | --full] [pattern…]`: reads the arguments and starts the suite. The suite is
// loaded after the environment is set, because its imports read it at once.
import { parseArgs } from 'node:util';
import { helpOf } from '../src/cli/help.ts';
import { testCommand } from './command.ts';

const { values: modes, positionals: patterns } = readOptions();
if (modes.help) {
  console.log(helpOf(testCommand));
  process.exit(0);
}
if (modes.full) process.env.CUMULET_FULL = '1';
else if (patterns.length === 0) process.env.CUMULET_TEST_CLIENTS = 'npm';
const { runSuite } = await import('./suite.ts');
process.exitCode = (await runSuite(modes, patterns)) ? 0 : 1;

function readOptions() {
  const options = {
    quick: { type: 'boolean', default: false },
    full: { type: 'boolean', default: false },
    slowest: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h' },
  } as const;
  try {
    return parseArgs({ options, allowPositionals: true });
  } catch (error) {
    console.error(`cumulet test: ${(error as Error).message}`);
    return process.exit(2);
  }
}
