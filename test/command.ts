// `./cumulet test`, as its help describes it. test/run.ts runs it.
import type { Command } from '../src/cli/command.ts';

export const testCommand: Command = {
  name: 'test',
  operands: '[PATTERN …]',
  about:
    'Runs every check of this source checkout: types, lint and format, then all tests. With patterns, only the test ' +
    'files whose path contains one of them, or matches it as a glob, and no other check. Exit 1 when anything failed.',
  options: [{ name: 'quick', help: 'unit tests, one client and a few black-box tests: two minutes on two cores' }],
  examples: [
    ['cumulet test', 'all of it'],
    ['cumulet test --quick', 'before each commit'],
    ['cumulet test cli src/base', 'the tests of the command line and of one folder'],
  ],
  run: async () => 0,
};
