// A day of load, played with a moved clock: what a group does is compared, minute by minute, with a model of the rule
// that is written here from the description alone and shares no code with the product.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { replicasOf } from './autoscaling/group-replicas.ts';
import { groupState, groupValues } from './autoscaling/group-row.ts';
import { setTotalLoad } from './autoscaling/spread-load.ts';
import type { Values } from './base/json.ts';
import { pathOf } from './core/resource.ts';
import { groupIn, policy } from './testing/scaling-group.ts';
import { openBench } from './testing-scaling-bench.ts';

const minutes = 1440;
const minute = 60_000;
const idle = 0.5; // percent, of a machine without a load

interface Rule {
  least: number;
  most: number;
  range: number; // minutes
  low: number;
  high: number;
  add: (count: number) => number;
  take: (count: number) => number;
  addPause: number; // minutes
  takePause: number;
}

// Replicas of the model: when each began, and its load since, a number a minute.
class Model {
  #rule: Rule;
  #replicas: { loads: number[] }[] = [];
  #quietUntil = 0;

  constructor(rule: Rule) {
    this.#rule = rule;
    for (let made = 0; made < rule.least; made++) this.#replicas.push({ loads: [] });
  }

  get count(): number {
    return this.#replicas.length;
  }

  // One minute passes with this load in all.
  pass(total: number | undefined): void {
    const each = total === undefined ? idle : Math.min(100, total / this.#replicas.length);
    for (const { loads } of this.#replicas) loads.push(each);
  }

  // The average over the minutes that replicas ran in the range; then the amount, within the bounds; then a pause.
  judge(now: number): void {
    if (now < this.#quietUntil) return;
    const seen = this.#replicas.flatMap(({ loads }) => loads.slice(-this.#rule.range));
    if (seen.length === 0) return;
    const average = seen.reduce((sum, one) => sum + one, 0) / seen.length;
    if (average > this.#rule.high) this.#grow(now);
    else if (average < this.#rule.low) this.#shrink(now);
  }

  #grow(now: number): void {
    const { most, add, addPause } = this.#rule;
    const wanted = Math.min(most, this.count + add(this.count));
    if (wanted === this.count) return;
    while (this.count < wanted) this.#replicas.push({ loads: [] });
    this.#quietUntil = now + addPause;
  }

  // The oldest go first.
  #shrink(now: number): void {
    const { least, take, takePause } = this.#rule;
    const wanted = Math.max(least, this.count - take(this.count));
    if (wanted === this.count) return;
    this.#replicas.splice(0, this.count - wanted);
    this.#quietUntil = now + takePause;
  }
}

const percent = (part: number) => (count: number) => Math.max(1, Math.floor((count * part) / 100));
const fixed = (amount: number) => () => amount;

const shapes: Record<string, (at: number) => number | undefined> = {
  sine: (at) => 230.7 + 219.3 * Math.sin((2 * Math.PI * Math.floor(at / 20) * 20) / minutes),
  spike: (at) => (at >= 600 && at < 660 ? 900 : 60),
  'flat line': () => 130,
};

const rules: Record<string, { rule: Rule; properties: Values }> = {
  sine: {
    rule: {
      least: 1,
      most: 7,
      range: 10,
      low: 30,
      high: 70,
      add: fixed(2),
      take: fixed(1),
      addPause: 5,
      takePause: 5,
    },
    properties: { minReplicaCount: 1, maxReplicaCount: 7, policy: policyOf('PT10M', 2, 'ABSOLUTE', 1, 'PT5M') },
  },
  spike: {
    rule: {
      least: 2,
      most: 12,
      range: 5,
      low: 30,
      high: 70,
      add: percent(50),
      take: percent(50),
      addPause: 3,
      takePause: 15,
    },
    properties: {
      minReplicaCount: 2,
      maxReplicaCount: 12,
      policy: policyOf('PT5M', 50, 'PERCENTAGE', 50, 'PT3M', 'PT15M'),
    },
  },
  'flat line': {
    rule: {
      least: 1,
      most: 5,
      range: 1440,
      low: 30,
      high: 70,
      add: fixed(1),
      take: fixed(1),
      addPause: 60,
      takePause: 5,
    },
    properties: { minReplicaCount: 1, maxReplicaCount: 5, policy: policyOf('PT24H', 1, 'ABSOLUTE', 1, 'PT1H', 'PT5M') },
  },
};

function policyOf(
  range: string,
  out: number,
  amountType: string,
  into: number,
  pause: string,
  inPause = pause,
): Values {
  const scaleInAction = { ...policy.scaleInAction, amount: into, amountType, cooldownPeriod: inPause };
  return { ...policy, range, scaleInAction, scaleOutAction: { amount: out, amountType, cooldownPeriod: pause } };
}

for (const [name, loadAt] of Object.entries(shapes)) {
  test(`[SCALE-09] [SCALE-04] a day of load, a ${name}: the group does what the rule says, minute by minute`, async (t) => {
    await using bench = await openBench();
    const { rule, properties } = rules[name] as (typeof rules)[string];
    const sent = { ...groupIn(`datacenters/${bench.datacenter.id}`), ...properties } as unknown as Values;
    const { id } = await bench.addGroup(sent);
    const model = new Model(rule);
    const began = process.cpuUsage();
    let last: number | undefined;
    const counts = [model.count];
    for (let at = 0; at < minutes; at++) {
      const total = loadAt(at);
      if (total !== last) {
        const group = await bench.group(id);
        await setTotalLoad(bench.options, group, await replicasOf(group, bench.options), { cpuPercent: total ?? 0 });
      }
      last = total;
      bench.pass(minute);
      model.pass(total);
      await bench.scaler.run();
      model.judge(at + 1);
      const group = await bench.group(id);
      const { length } = await bench.store.children(1, `${pathOf(group)}/servers`);
      assert.equal(
        length,
        model.count,
        `after ${at + 1} minutes, with ${total} %: ${JSON.stringify(groupState(group))}`,
      );
      const { minReplicaCount, maxReplicaCount } = groupValues(group);
      assert.ok(length >= minReplicaCount && length <= maxReplicaCount);
      counts.push(length);
    }
    const { user, system } = process.cpuUsage(began); // others may use the machine too
    const tookMs = (user + system) / 1000;
    t.diagnostic(`${Math.round(tookMs)} ms, ${new Set(counts).size} different counts, at most ${Math.max(...counts)}`);
    assert.ok(new Set(counts).size > 1, 'it scaled');
    assert.ok(tookMs < 10_000, `it took ${tookMs} ms`);
  });
}
