// Comparison with Prometheus' own tool: accepted rule files, expanded templates, and the times of alerts.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { stringify } from 'yaml';
import {
  type ActiveAlert,
  type AlertRule,
  checkExpression,
  Fault,
  readRules,
  stepAlerts,
} from '../../../src/testing/black-box/monitoring.ts';
import { promtool3 } from '../../clients/agents/programs.ts';
import { run } from '../../clients/run.ts';

const found = await promtool3();
const minute = 60_000;

suite("compared with Prometheus' promtool", { skip: found.skip ?? false }, () => {
  const promtool = found.path ?? '';

  test('[METRIC-07] rule files are accepted or refused alike', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'cumulet-promtool-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const rule = (text: string): string => `groups:\n- name: g\n  rules:\n  - ${text}\n`;
    const files = [
      'groups: []\n',
      'groups:\n- name: g\n  interval: 1m30s\n  limit: 5\n  query_offset: 10s\n  labels: {a: b}\n  rules: []\n',
      'groups:\n- name: g\n  rules: []\n- name: g\n  rules: []\n',
      'groups:\n- name: ""\n  rules: []\n',
      'groups:\n- name: g\n  intervall: 1m\n  rules: []\n',
      'groups:\n- name: g\n  interval: 5x\n  rules: []\n',
      'groups:\n- name: g\n  limit: x\n  rules: []\n',
      rule('{alert: A, expr: up}'),
      rule('{alert: A, expr: up, for: 5m, keep_firing_for: 1h, labels: {severity: 1, b: true}}'),
      rule('{alert: A b-c, expr: "up == 0", annotations: {summary: x}}'),
      rule('{alert: A}'),
      rule('{expr: up}'),
      rule('{alert: A, record: b, expr: up}'),
      rule('{record: "a:b", expr: sum(up), labels: {x: y}}'),
      rule('{record: a, expr: up, for: 5m}'),
      rule('{record: a, expr: up, annotations: {x: y}}'),
      rule('{record: "a{b}", expr: up}'),
      rule('{alert: A, expr: "sum(up"}'),
      rule('{alert: A, expr: "rate(up)"}'),
      rule('{alert: A, expr: "up{job=~\\"(\\"}"}'),
      rule('{alert: A, expr: "1"}'),
      rule('{alert: A, expr: "up > bool 1"}'),
      rule('{alert: A, expr: up, for: 5}'),
      rule('{alert: A, expr: up, labels: {__name__: x}}'),
      rule('{alert: A, expr: up, labels: {"a b": x}}'),
      rule('{alert: A, expr: up, annotations: {x: "{{ $value | humanize }}"}}'),
      rule('{alert: A, expr: up, annotations: {x: "{{ $valu }}"}}'),
      rule('{alert: A, expr: up, annotations: {x: "{{ nothing }}"}}'),
      rule('{alert: A, expr: up, annotations: {x: "{{ $value"}}'),
      rule('{alert: A, expr: up, annotations: {x: "{{ if true }}"}}'),
      rule('{alert: A, expr: up}\n  - {alert: A, expr: up > 1}'),
      rule('{alert: A, expr: up, labels: {a: b}}\n  - {alert: A, expr: up > 1, labels: {a: c}}'),
      rule('&a {alert: A, expr: up}\n  - {<<: *a, alert: B}'),
      rule('[]'),
      'a: [',
    ];
    const verdicts: string[] = [];
    for (const [at, text] of files.entries()) {
      const file = join(folder, `${at}.yml`);
      writeFileSync(file, text);
      const { code, stdout, stderr } = await run([promtool, 'check', 'rules', '--lint-fatal', file]);
      const ours = problemOf(text);
      if ((code === 0) !== (ours === undefined)) verdicts.push(`${text}\n  ${ours}\n  ${code} ${stdout} ${stderr}`);
    }
    assert.deepEqual(verdicts, []);
  });

  test('[METRIC-07] templates expand alike', async () => {
    const values = [0, 1, 0.5, -3.25, 1234567, 0.000012345, 99.995, 86_461, 12_345, 0.125, 2.5, 1e15, 1.7e9];
    const templates = [
      '{{ $value }}',
      '{{ $labels.host }}|{{ $labels.missing }}|{{ .Labels.host }}',
      '{{ $labels }}',
      '{{ $value | humanize }} {{ humanize1024 $value }}',
      '{{ humanizeDuration $value }}',
      '{{ $value | humanizePercentage }}',
      '{{ printf "%.2f|%6.1f|%-8.3g|%e|%v|%s" $value $value $value $value $value $labels.host }}',
      '{{ printf "%05.1f %+.1f %q %t" $value $value $labels.host true }}',
      '{{ if gt $value 1.0 }}high{{ else if eq $value 1.0 }}one{{ else }}low{{ end }}',
      '{{ if and (ge $value 0.0) (not (eq $labels.host "b")) }}yes{{ end }}',
      'a {{- " b " -}} c {{/* not shown */}}d',
      '{{ $labels.host | toUpper }} {{ "a b" | title }} {{ toLower "ABC" }} {{ stripPort "h:9100" }}',
      '{{ index $labels "host" }} {{ len $labels.host }} {{ or $labels.missing "none" }} {{ urlquery "a b&c" }}',
      '{{ print "a" "b" }} {{ ne 1.0 $value }} {{ lt $value 5.0 }} {{ le $value 5.0 }}',
    ];
    const annotations = templates.map((text, at): [string, string] => [`t${at}`, text]);
    const alert = ruleOf({ annotations, forMs: 0 });
    const hosts = values.map((value, at) => ({ host: `h${at}`, value }));
    const named = (host: string) => [['__name__', 'x'] as const, ['host', host] as const];
    const samples = hosts.map(({ host, value }) => ({ labels: named(host), value }));
    const { active } = stepAlerts({ rule: alert, labels: [], limit: 0, externalURL: '' }, [], samples, 0);
    const series = hosts.map(({ host, value }) => ({ series: `x{host="${host}"}`, values: `${value}x2` }));
    await confirms(promtool, alert, series, [{ at: 0, active }]);
  });

  test('[METRIC-07] alerts fire at the same times', async () => {
    const courses = [
      '0 2 2 2 2 2 2 0 0 0 0 2 2 0 0 0 0 0',
      '2 0 2 2 0 2 2 2 2 2 0 2 0 0 0 0 0 2',
      '0 0 0 0 2 2 2 2 2 2 2 2 2 2 2 2 0 0',
    ];
    for (const [forMs, keepMs] of [
      [0, 0],
      [2 * minute, 0],
      [0, 3 * minute],
      [3 * minute, 2 * minute],
    ] as const) {
      const alert = ruleOf({ forMs, keepMs });
      const series = courses.map((course, at) => ({ series: `x{host="h${at}"}`, values: course }));
      let active: ActiveAlert[] = [];
      const steps = Array.from({ length: 18 }, (_, step) => {
        const samples = courses
          .map((course, at) => ({ labels: [['host', `h${at}`]] as const, value: Number(course.split(' ')[step]) }))
          .filter(({ value }) => value > 1);
        const facts = { rule: alert, labels: alert.labels, limit: 0, externalURL: '' };
        ({ active } = stepAlerts(facts, active, samples, step * minute));
        return { at: step, active };
      });
      await confirms(promtool, alert, series, steps);
    }
  });
});

const ruleOf = (changes: Partial<AlertRule>): AlertRule => ({
  kind: 'alert',
  name: 'High',
  expr: changes.annotations ? 'x' : 'x > 1',
  forMs: 0,
  keepMs: 0,
  labels: [],
  annotations: [],
  ...changes,
});

// Runs `promtool test rules` with our results as expected values.
async function confirms(
  promtool: string,
  rule: AlertRule,
  series: { series: string; values: string }[],
  steps: { at: number; active: ActiveAlert[] }[],
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'cumulet-promtool-'));
  try {
    const { forMs, keepMs, expr } = rule;
    const times = { for: `${forMs / 1000}s`, keep_firing_for: `${keepMs / 1000}s` };
    const annotations = Object.fromEntries(rule.annotations);
    const rules = { groups: [{ name: 'g', rules: [{ alert: rule.name, expr, ...times, annotations }] }] };
    const tests = steps.map(({ at, active }) => ({
      eval_time: `${at}m`,
      alertname: rule.name,
      exp_alerts: active
        .filter(({ state }) => state === 'firing')
        .map((alert) => ({
          exp_labels: Object.fromEntries(alert.labels.filter(([name]) => name !== 'alertname')),
          exp_annotations: Object.fromEntries(alert.annotations),
        })),
    }));
    const unit = {
      rule_files: ['rules.yml'],
      evaluation_interval: '1m',
      tests: [{ interval: '1m', input_series: series, alert_rule_test: tests }],
    };
    writeFileSync(join(folder, 'rules.yml'), stringify(rules));
    writeFileSync(join(folder, 'test.yml'), stringify(unit));
    const { code, stdout, stderr } = await run([promtool, 'test', 'rules', 'test.yml'], { cwd: folder });
    assert.equal(code, 0, `${stdout}\n${stderr}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function problemOf(text: string): string | undefined {
  try {
    readRules(text, { checkExpression, records: true });
    return undefined;
  } catch (error) {
    assert.ok(error instanceof Fault);
    return error.problems[0]?.message;
  }
}
