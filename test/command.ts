// `./cumulet test`, as its help describes it. test/run.ts runs it.
import type { Command } from '../src/command/command.ts';

export const testCommand: Command = {
  name: 'test',
  operands: '[PATTERN …]',
  about:
    'Runs every check of this source checkout: types, lint and format, then all tests. With patterns, only the test ' +
    'files whose path contains one of them, or matches it as a glob, and no other check. Exit 1 when anything failed.',
  options: [
    { name: 'quick', help: 'unit tests, one client and a few black-box tests: 90 s on two cores' },
    { name: 'full', help: 'random seeds, more rounds, clients that must be built, conformance suites: hours' },
    { name: 'slowest', help: 'list the 20 slowest test files and where their time went' },
  ],
  examples: [
    ['cumulet test', 'all of it'],
    ['cumulet test --quick', 'before each commit'],
    ['cumulet test --full clients/dns', 'the DNS clients, with all rounds'],
    ['cumulet test cli src/base', 'the tests of the command line and of one folder'],
  ],
  run: async () => 0,
};
