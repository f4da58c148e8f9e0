// Error messages of invalid queries, recorded from Loki's own parser (3.7). Messages with a position begin with the
// column.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compilePipeline } from '../pipeline/pipeline.ts';
import { parseQuery } from './parse.ts';

const cases: [query: string, message: string][] = [
  ['{app}', '5: syntax error: unexpected }, expecting = or =~ or !~ or !='],
  ['{app=}', '6: syntax error: unexpected }, expecting STRING'],
  ['{app="x"', '9: syntax error: unexpected $end, expecting } or ,'],
  ['{', '2: syntax error: unexpected $end, expecting IDENTIFIER or }'],
  ['{by="x"}', '2: syntax error: unexpected by, expecting IDENTIFIER or }'],
  ['{app="x",}', '10: syntax error: unexpected }, expecting IDENTIFIER'],
  ['{app="x', '6: literal not terminated'],
  ['{app="x"} |=', '13: syntax error: unexpected $end, expecting STRING or ip'],
  ['{app="x"} |= "a" or', '20: syntax error: unexpected $end, expecting STRING or ip'],
  ['{app="x"} |~ ip', '14: syntax error: unexpected IDENTIFIER, expecting STRING or ip'],
  ['{app="x"} | json |', '19: syntax error: unexpected $end'],
  ['{app="x"} | json a=', '20: syntax error: unexpected $end, expecting STRING'],
  ['{app="x"} | label_format', '25: syntax error: unexpected $end, expecting IDENTIFIER'],
  ['{app="x"} | label_format a', '27: syntax error: unexpected $end, expecting ='],
  ['{app="x"} | label_format a=', '28: syntax error: unexpected $end, expecting IDENTIFIER or STRING'],
  ['{app="x"} | drop 5', '18: syntax error: unexpected NUMBER, expecting IDENTIFIER'],
  ['{app="x"} | foo =~ 5', '20: syntax error: unexpected NUMBER, expecting STRING'],
  ['{app="x"} | (', '14: syntax error: unexpected $end, expecting IDENTIFIER or ('],
  ['{app="x"} | a > 1KB or', '23: syntax error: unexpected $end, expecting IDENTIFIER or ('],
  ['{app="x"} | regexp', '19: syntax error: unexpected $end, expecting STRING'],
  ['{app="x"} | regexp "x"', 'parse error : invalid regexp parser: at least one named capture must be supplied'],
  ['{app="x"} | regexp "("', 'parse error : invalid regexp parser: error parsing regexp: missing closing ): `(`'],
  ['{app="x"} | pattern "x"', 'parse error : invalid pattern parser: at least one capture is required'],
  [
    '{app="x"} | pattern "<a><b>"',
    "parse error : invalid pattern parser: found consecutive capture '<a><b>': invalid expression",
  ],
  [
    '{app="x"} |= "a" |~ "(" | json',
    'parse error : stage \'|= "a" |~ "("\' : error parsing regexp: missing closing ): `(`',
  ],
  ['{app="x"} |> "<a>"', "parse error : stage '|> \"<a>\"' : named captures are not allowed: found '<a>'"],
  ['{app="x"} |~ ip("10.0.0.1")', 'parse error : stage \'|~ ip("10.0.0.1")\' : ip: invalid operation'],
  [
    '{app="x"} | line_format "{{"',
    'parse error : stage \'| line_format "{{"\' : invalid line template: template: line:1: unclosed action',
  ],
  [
    '{app="x"} | label_format a=b,a=c',
    "parse error : stage '| label_format a=b,a=c' : multiple label name 'a' not allowed in a single format operation",
  ],
  ['{app="x"} | x = ip("nope")', 'parse error : stage \'| x=ip("nope")\' : ip: invalid pattern: "nope"'],
  [
    '{app="x"} | json x="a["',
    'parse error : stage \'| json x="a["\' : ' +
      'cannot parse expression [a[]: syntax error: unexpected $end, expecting STRING or INDEX',
  ],
  [
    '{app="x"} | json x="a..b"',
    'parse error : stage \'| json x="a..b"\' : ' +
      'cannot parse expression [a..b]: syntax error: unexpected DOT, expecting FIELD',
  ],
  [
    '{app="x"} | json x="a b"',
    'parse error : stage \'| json x="a b"\' : cannot parse expression [a b]: syntax error: unexpected FIELD',
  ],
  [
    '{app="x"} | logfmt x=""',
    'parse error : stage \'| logfmt x=""\' : ' +
      'cannot parse expression []: syntax error: unexpected $end, expecting STRING or KEY',
  ],
  ['sum', '1: syntax error: unexpected IDENTIFIER'],
  ['sum {app="x"}', '1: syntax error: unexpected IDENTIFIER'],
  ['sum by (a, (rate({app="x"}[5m]))', '12: syntax error: unexpected (, expecting IDENTIFIER'],
  ['sum by (a) rate({app="x"}[5m])', '12: syntax error: unexpected RATE, expecting ('],
  ['rate(', '6: syntax error: unexpected $end, expecting NUMBER or { or ('],
  ['rate(5', '7: syntax error: unexpected $end, expecting ,'],
  ['rate({app="x"})', '15: syntax error: unexpected )'],
  [
    'rate({app="x"} | unwrap',
    '24: syntax error: unexpected $end, expecting IDENTIFIER or BYTES_CONV or DURATION_CONV or DURATION_SECONDS_CONV',
  ],
  ['rate({app="x"} | unwrap a', '26: syntax error: unexpected $end, expecting RANGE or |'],
  ['rate({app="x"} | unwrap duration(', '34: syntax error: unexpected $end, expecting IDENTIFIER'],
  ['rate({app="x"}[5m] 5', '20: syntax error: unexpected NUMBER, expecting )'],
  ['rate({app="x"}[5m] offset', '26: syntax error: unexpected $end, expecting DURATION'],
  ['vector(', '8: syntax error: unexpected $end, expecting NUMBER'],
  ['vector(1', '9: syntax error: unexpected $end, expecting )'],
  ['label_replace(vector(1), "a", "b"', '34: syntax error: unexpected $end, expecting ,'],
  ['vector(1) + on', '15: syntax error: unexpected $end, expecting ('],
  ['vector(1) + on (', '17: syntax error: unexpected $end, expecting IDENTIFIER or )'],
  ['vector(1) or - x', '16: syntax error: unexpected IDENTIFIER, expecting NUMBER'],
];

function messageOf(query: string): string {
  try {
    const expr = parseQuery(query);
    if (expr.kind === 'logs') compilePipeline(expr.stages);
    return '';
  } catch (error) {
    return (error as Error).message.replace('parse error at line 1, col ', '');
  }
}

test('[LOG-06] errors in queries have the messages of Loki', () => {
  for (const [query, message] of cases) assert.equal(messageOf(query), message, query);
});

test('[GEN-05] an unterminated literal is refused at once, however many quotes it has', () => {
  const start = process.cpuUsage();
  assert.equal(messageOf(`{a="${'\\"'.repeat(40_000)}`), '4: literal not terminated');
  const { user, system } = process.cpuUsage(start);
  assert.ok(user + system < 1_000_000, `${user + system} µs`);
});
