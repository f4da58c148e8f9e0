// Rules in YAML and JSON, and errors with their positions.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '../../../base/fault.ts';
import { promQl } from '../testing.ts';
import { readRules as readIn } from './check.ts';
import { readRuleText as readTextIn } from './read-text.ts';
import { entryText, filesYaml, fileText } from './store.ts';

const language = { module: new URL('./expression.ts', import.meta.url).href, example: 'up == 0', records: true };
const readRules = (text: string) => readIn(text, promQl);
const readRuleText = (text: string, contract: number, limitMs?: number) =>
  readTextIn(text, language, contract, limitMs);

const example = `# our rules
groups:
  - name: web
    interval: 30s
    query_offset: 1m
    limit: 10
    labels: {team: web}
    rules:
      - record: job:requests:rate5m
        expr: sum by (job) (rate(requests_total[5m]))
        labels: {source: rule}
      - alert: TooManyErrors
        expr: |
          job:requests:rate5m{code="500"}
            > 10
        for: 5m
        keep_firing_for: 10m
        labels:
          severity: 1
          page: yes
        annotations:
          summary: "{{ $labels.job }}: {{ $value | humanize }} errors a second"
  - name: empty
    rules: []
`;

function problemsOf(text: string): string[] {
  try {
    readRules(text);
  } catch (error) {
    assert.ok(error instanceof Fault && error.kind === 'refused', String(error));
    return error.problems.map(({ message }) => message);
  }
  return [];
}

test('[METRIC-07] a rule file of Prometheus is accepted', () => {
  const { isFile, groups } = readRules(example);
  assert.ok(isFile);
  assert.deepEqual(
    groups.map(({ name, rules }) => [name, rules.length]),
    [
      ['web', 2],
      ['empty', 0],
    ],
  );
  const [web] = groups;
  assert.deepEqual([web?.intervalMs, web?.offsetMs, web?.limit, web?.labels], [30_000, 60_000, 10, [['team', 'web']]]);
  assert.deepEqual(web?.rules[0], {
    kind: 'record',
    name: 'job:requests:rate5m',
    expr: 'sum by (job) (rate(requests_total[5m]))',
    labels: [['source', 'rule']],
  });
  const alert = web?.rules[1];
  assert.ok(alert?.kind === 'alert');
  assert.deepEqual([alert.forMs, alert.keepMs], [300_000, 600_000]);
  assert.deepEqual(alert.labels, [
    ['page', 'yes'],
    ['severity', '1'],
  ]);
});

test('JSON is accepted too, also indented with tabs, and a single group', () => {
  const group = { name: 'a', interval: '1m', limit: 5, rules: [{ alert: 'Down', expr: 'up == 0', labels: { n: 1 } }] };
  for (const indent of [undefined, 2, '\t']) {
    const one = readRules(JSON.stringify(group, null, indent));
    assert.deepEqual([one.isFile, one.groups[0]?.limit, one.groups[0]?.rules[0]?.labels], [false, 5, [['n', '1']]]);
    assert.equal(readRules(JSON.stringify({ groups: [group] }, null, indent)).isFile, true);
  }
});

test('anchors, merges and documents that begin with dashes are YAML too', () => {
  const text = '---\nname: a\nrules:\n- &down {alert: A, expr: up == 0, for: 1m}\n- {<<: *down, alert: B}\n';
  const { groups } = readRules(text);
  assert.deepEqual(
    groups[0]?.rules.map((rule) => [rule.name, rule.kind === 'alert' && rule.forMs]),
    [
      ['A', 60_000],
      ['B', 60_000],
    ],
  );
});

test('[METRIC-07] errors are refused as in promtool, all at once and with their positions', () => {
  const text = `groups:
- name: a
  foo: 1
  interval: 5x
  limit: -1
  rules:
  - alert: X
    expr: sum(up
    for: 5
  - record: y
    alert: z
    expr: up
  - expr: up
  - alert: NoExpression
  - record: q
    expr: up
    for: 5m
    keep_firing_for: 5m
    annotations: {a: b}
  - record: up{job="x"}
    expr: up
  - alert: L
    expr: up
    labels: {__name__: x}
    annotations: {summary: "{{ $lables.x }}"}
- name: a
- rules: []
`;
  const found = problemsOf(text);
  const wanted = [
    /^3:3: group "a": field "foo" not found here/,
    /^4:13: group "a": interval: not a valid duration string: "5x"/,
    /^5:10: group "a": limit must be a whole number/,
    /^8:11: group "a", rule 1, "X": could not parse expression: 1:\d+: parse error/,
    /^9:10: group "a", rule 1, "X": for: not a valid duration string: "5"/,
    /^10:13: group "a", rule 2, "z": only one of 'record' and 'alert' must be set/,
    /^13:5: group "a", rule 3, "": one of 'record' or 'alert' must be set/,
    /^14:5: group "a", rule 4, "NoExpression": field 'expr' must be set in rule/,
    /^15:13: group "a", rule 5, "q": invalid field 'annotations' in recording rule/,
    /^15:13: .*invalid field 'for' in recording rule/,
    /^15:13: .*invalid field 'keep_firing_for' in recording rule/,
    /^20:13: group "a", rule 6, .*braces in the name of a recording rule/,
    /^24:14: group "a", rule 7, "L": invalid label name: "__name__"/,
    /^25:28: group "a", rule 7, "L": annotation "summary": error parsing template: undefined variable/,
    /^26:3: groupname: "a" is repeated in the same file/,
    /^27:3: Groupname must not be empty/,
  ];
  for (const [at, pattern] of wanted.entries()) assert.match(found[at] ?? '', pattern);
  assert.equal(found.length, wanted.length, found.join('\n'));
});

test('types of expressions and duplicate rules are checked', () => {
  assert.match(problemsOf('name: a\nrules: [{alert: A, expr: "rate(up)"}]')[0] ?? '', /expected type range vector/);
  const twice =
    'name: a\nrules:\n- {record: r, expr: up, labels: {a: b}}\n- {record: r, expr: up * 2, labels: {a: b}}\n';
  assert.match(
    problemsOf(twice)[0] ?? '',
    /^4:3: group "a", rule 2, "r": duplicate rule: group "a", rule 1 .*\{a="b"\}/,
  );
  assert.deepEqual(problemsOf(twice.replace('labels: {a: b}}\n-', 'labels: {a: c}}\n-')), []);
});

test('invalid YAML and other content than rules are refused', () => {
  const odd: [string, RegExp][] = [
    ['', /expected/],
    ['null', /expected/],
    ['[]', /expected/],
    ['"x"', /expected/],
    ['a: [', /^1:\d+: yaml: /],
    ['a: 1\na: 2', /^2:1: yaml: the key "a" is used twice/],
    ['{"name":"a","n\\u0061me":"b"}', /is used twice/],
    ['a: *nothing', /yaml: /],
    ['--- {}\n--- {}', /multiple documents/],
    ['a: "\0"', /NUL/],
    ['name: {}\nrules: x', /name must be a text/],
    ['name: a\nrules: x', /rules must be a list/],
    ['name: a\nrules: [x]', /a rule must be a map/],
    ['groups: x', /groups must be a list/],
    ['groups: [x]', /a group must be a map/],
    ['name: a\nlabels: [x]', /labels must be a map/],
    ['name: a\nlabels: {x: [y]}', /invalid label value of "x"/],
    ['name: "\\ud800"', /name must be a text/],
    ['name: a\ninterval: 1ms', /1s or more/],
    [`name: ${'a'.repeat(300)}`, /more than 256 characters/],
    ['['.repeat(500_000), /nested/],
    [`${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`, /nested/],
    ['- '.repeat(3000), /nested/],
    [`a: &a [x]\nb: [${'*a,'.repeat(2000)}]`, /field "a" not found|aliases/],
  ];
  for (const [text, problem] of odd) assert.match(problemsOf(text)[0] ?? 'nothing', problem, text.slice(0, 60));
});

// A reproducible sequence of numbers.
function chanceOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

test('mutilated texts are accepted or refused, without other errors', () => {
  const chance = chanceOf(20_260_731);
  const odd = [
    '{',
    '}',
    '[',
    ']',
    ': ',
    '- ',
    '\n',
    '"',
    "'",
    '&a ',
    '*a',
    '!!int ',
    '{{',
    '}}',
    '$',
    '\t',
    '#',
    '|',
    '<<: ',
    '\ud83d',
  ];
  let taken = 0;
  for (let count = 0; count < 2000; count++) {
    let text = example;
    for (let changes = 1 + chance(4); changes > 0; changes--) {
      const at = chance(text.length);
      const cut = at + chance(6);
      text = text.slice(0, at) + (chance(3) > 0 ? odd[chance(odd.length)] : '') + text.slice(chance(2) > 0 ? cut : at);
    }
    if (problemsOf(text).length === 0) taken++;
  }
  assert.ok(taken > 20 && taken < 1500, `${taken} were taken`);
});

test('texts are returned unchanged; texts from several writes are generated', async () => {
  const { groups } = readRules(example);
  const entries = groups.map((group) => ({ group, text: '' }));
  const file = {
    pipeline: { source: 'monitoring', id: 'p', contract: 1, region: 'de-txl' },
    namespace: 'n',
    text: '',
    entries,
  };
  assert.deepEqual(readRules(await fileText(file)).groups, groups);
  assert.deepEqual(readRules(await entryText(entries[0] as (typeof entries)[0])).groups[0], groups[0]);
  assert.equal(await fileText({ ...file, text: example }), example);
  assert.match(await filesYaml([file]), /^n:\n {2}- name: web\n/);
  assert.equal(await filesYaml([]), '{}\n');
});

test('a long text of wrong rules is refused in time', async () => {
  const lines = (count: number, line: (at: number) => string) => Array.from({ length: count }, (_, at) => line(at));
  const refused = (text: string, why: RegExp): Promise<void> =>
    assert.rejects(
      readRuleText(text, 31),
      (error) => error instanceof Fault && why.test(error.problems[0]?.message ?? '') && error.problems.length <= 50,
    );
  await refused(`name: x\n${lines(25_000, (at) => `a${at}: b\n`).join('')}`, /"a0" not found here/);
  await refused(`name: x\nrules:\n${lines(10_000, () => '- expr: (((\n').join('')}`, /one of 'record' or 'alert'/);
  await refused(lines(25_000, (at) => `- &a${at} b\n- *a${at}\n`).join(''), /more than 1000 aliases/);
});

test('a long text is read in a separate thread, for a limited time', async () => {
  const rules = Array.from({ length: 200 }, (_, at) => `- {alert: Alert${at}, expr: "sum by (job) (up) > ${at}"}`);
  const text = `name: long\nrules:\n${rules.join('\n')}\n`;
  const { groups } = await readRuleText(text, 31);
  assert.deepEqual(groups, readRules(text).groups);
  const wrong = `${text}- {alert: X, expr: "("}\n`;
  await assert.rejects(
    readRuleText(wrong, 31),
    (error) => error instanceof Fault && /rule 201/.test(error.problems[0]?.message ?? ''),
  );
  await assert.rejects(
    readRuleText(text, 31, 1),
    (error) => error instanceof Fault && /too much time or memory/.test(error.problems[0]?.message ?? ''),
  );
});
