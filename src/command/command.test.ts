// How arguments are read.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '../base/fault.ts';
import { type Command, readArguments } from './command.ts';

const command: Command = {
  name: 'paint',
  operands: '[WALL]',
  mostOperands: 1,
  about: '',
  options: [
    { name: 'colour', takes: 'NAME', help: '' },
    { name: 'coat', takes: 'N', help: '', many: true },
    { name: 'dry', help: '' },
  ],
  examples: [],
  run: async () => 0,
};

test('a value follows its option or a =, and options may be anywhere', () => {
  const input = readArguments(command, ['--colour', 'red', 'north', '--coat=1', '--coat', '2', '--dry']);
  assert.equal(input.get('colour'), 'red');
  assert.deepEqual(input.all('coat'), ['1', '2']);
  assert.deepEqual(input.operands, ['north']);
  assert.ok(input.has('dry'));
  assert.equal(readArguments(command, ['--colour=a=b']).get('colour'), 'a=b');
  assert.equal(readArguments(command, ['--colour', '-']).get('colour'), '-');
  assert.equal(readArguments(command, ['--colour=']).get('colour'), '');
});

test('one line names the problem', () => {
  const cases: [string[], RegExp][] = [
    [['--color', 'red'], /no option --color\. Did you mean --colour\? See: \S+ paint --help$/],
    [['--colour'], /--colour needs a value, NAME/],
    [['--colour', '--dry'], /--colour needs a value/],
    [['--dry=yes'], /--dry takes no value/],
    [['--dry', '--dry'], /--dry is given twice/],
    [['north', 'south'], /'south' is not expected/],
    [['-x'], /no option -x/],
  ];
  for (const [args, message] of cases) {
    assert.throws(
      () => readArguments(command, args),
      (error) => error instanceof Fault && message.test(error.message),
      args.join(' '),
    );
  }
});
