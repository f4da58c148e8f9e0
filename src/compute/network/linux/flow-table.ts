// The table of nft that counts the packets of interfaces with a flow log, by flow. It is separate from the filter, so a
// change of firewall rules loses no counts. Packets are counted before and after the filter: those that were seen and
// did not pass were rejected.
//
// Counts are kept in sets of one generation. A reading starts the next generation in one transaction, and then lists
// and deletes the sets of the previous one, so no packet is lost or counted twice. The mark of a packet has the
// generation in which it was seen, so it passes in the same one.
import type { Direction } from '../spec.ts';
import { discovery } from './packet-rules.ts';

export interface FlowMeter {
  direction: Direction;
  hook: 'prerouting' | 'input' | 'forward' | 'output' | 'postrouting';
  // `both` and REJECT compare the packets before and after the filter. ACCEPT counts the packets of an address
  // translation, which never sees rejected ones.
  reports: 'both' | 'REJECT' | 'ACCEPT';
  match: { 4?: string; 6?: string }; // which packets, by IP version
}

export interface LoggedInterface {
  id: string;
  meters: readonly FlowMeter[];
}

// The packets of a namespace that receives and sends by itself: a machine or a balancer.
export const deviceMeters = (devices: readonly string[]): FlowMeter[] => {
  const list = `{ ${devices.map((device) => `"${device}"`).join(', ')} }`;
  const all = (match: string): FlowMeter['match'] => ({ 4: match, 6: match });
  return [
    { direction: 'INGRESS', hook: 'input', reports: 'both', match: all(`iifname ${list}`) },
    { direction: 'EGRESS', hook: 'output', reports: 'both', match: all(`oifname ${list}`) },
  ];
};

export const flowTable = 'inet cumulet-flows';

// The action that the packets of a set have. A gateway counts `allowed` packets again after their translation.
export const roles = {
  seen: { ACCEPT: 0, REJECT: 1 },
  passed: { ACCEPT: 1, REJECT: -1 },
  allowed: { ACCEPT: 0, REJECT: -1 },
  translated: { ACCEPT: 1, REJECT: 0 },
} as const;
export type Role = keyof typeof roles;

export const setName = (generation: string, id: string, direction: Direction, role: Role, version: 4 | 6): string =>
  `flows/${generation}/${id}/${direction}/${role}/${version}`;
export const overflowName = (generation: string, id: string): string => `flows/${generation}/${id}/overflow`;

type Stage = 'before' | 'after' | 'translated';

// Of a translation: incoming packets before it, and outgoing ones after it.
const priorities: Readonly<Record<Stage, (hook: FlowMeter['hook']) => number>> = {
  before: () => -10,
  after: () => 10,
  translated: (hook) => (hook === 'prerouting' ? -150 : 110),
};

const stagesOf = ({ reports }: FlowMeter): Stage[] => (reports === 'ACCEPT' ? ['translated'] : ['before', 'after']);

const roleOf = (stage: Stage, { reports }: FlowMeter): Role => {
  if (stage === 'translated') return stage;
  if (stage === 'before') return 'seen';
  return reports === 'both' ? 'passed' : 'allowed';
};

const versions = [4, 6] as const;
const addressTypes = { 4: 'ipv4_addr', 6: 'ipv6_addr' } as const;
const generationBits = '0xffffff00'; // of a packet's mark; the others are free

// The transaction that begins a generation, which is a number of 6 hexadecimal digits and not 0. `size`: of each set,
// in flows.
export function flowTableText(interfaces: readonly LoggedInterface[], generation: string, size: number): string {
  const sets = new Set<string>();
  const rules: Record<Stage, string[]> = { before: [], after: [], translated: [] };
  const hooks = new Map<string, { hook: FlowMeter['hook']; stage: Stage }>();
  for (const { id, meters } of interfaces)
    for (const meter of meters)
      for (const stage of stagesOf(meter)) {
        hooks.set(`${meter.hook}-${stage}`, { hook: meter.hook, stage });
        for (const version of versions) {
          const match = meter.match[version];
          if (match === undefined) continue;
          const set = setName(generation, id, meter.direction, roleOf(stage, meter), version);
          sets.add(`set ${set} { type ${keyType(version)}; size ${size}; flags dynamic; counter; }`);
          const condition = `meta nfproto ipv${version} ${match}`;
          rules[stage].push(
            ...countingRules(set, version, condition, stage === 'before' ? [markWith(generation)] : []),
            ...(stage === 'after' ? [] : [`${condition} counter name ${overflowName(generation, id)}`]),
          );
        }
      }
  const stages = (['before', 'after', 'translated'] as const).filter((stage) => rules[stage].length > 0);
  const chains = [...hooks].map(([name, { hook, stage }]) => ({ name, hook, stage }));
  return [
    `table ${flowTable} {`,
    'map generations { type mark : verdict; }',
    ...chains.flatMap(({ name, hook, stage }) => [
      `chain ${name} {`,
      `type filter hook ${hook} priority ${priorities[stage](hook)}; policy accept;`,
      '}',
    ]),
    '}',
    ...chains.map(({ name }) => `flush chain ${flowTable} ${name}`),
    `table ${flowTable} {`,
    ...interfaces.flatMap(({ id }) => [`counter ${overflowName(generation, id)} {`, '}']),
    ...sets,
    ...stages.flatMap((stage) => [`chain ${stage}-${generation} {`, `${discovery} return`, ...rules[stage], '}']),
    ...chains.flatMap(({ name, stage }) => [
      `chain ${name} {`,
      stage === 'after' ? `meta mark & ${generationBits} vmap @generations` : `jump ${stage}-${generation}`,
      '}',
    ]),
    '}',
    ...(rules.after.length > 0
      ? [`add element ${flowTable} generations { ${markOf(generation)} : goto after-${generation} }`]
      : []),
  ].join('\n');
}

const keyType = (version: 4 | 6): string => {
  const address = addressTypes[version];
  return `${address} . inet_service . ${address} . inet_service . inet_proto`;
};

const markOf = (generation: string): string => `0x${generation}00`;
const markWith = (generation: string): string => `meta mark set meta mark & 0xff | ${markOf(generation)}`;

// A full set ends a rule before its last statements.
function countingRules(set: string, version: 4 | 6, condition: string, then: readonly string[]): string[] {
  const ip = version === 4 ? 'ip' : 'ip6';
  const update = (source: string, target: string): string =>
    [`update @${set} { ${ip} saddr . ${source} . ${ip} daddr . ${target} . meta l4proto }`, ...then, 'return'].join(
      ' ',
    );
  return [
    `${condition} meta l4proto { 6, 17 } ${update('th sport', 'th dport')}`,
    `${condition} meta l4proto != { 6, 17 } ${update('0', '0')}`,
  ];
}

// Removes the generations before the current one from a listed table. Without a current one, the table is removed.
export function removalText(listed: string, current: string | undefined): string {
  if (current === undefined) return `delete table ${flowTable}`;
  const old = (kind: string, pattern: RegExp): { name: string; generation: string }[] =>
    [...listed.matchAll(new RegExp(`^\\s*${kind} (${pattern.source}) \\{$`, 'gm'))]
      .map(([, name = '', generation = '']) => ({ name, generation }))
      .filter(({ generation }) => generation !== current);
  const removed = (kind: string, pattern: RegExp): string[] =>
    old(kind, pattern).map(({ name }) => `delete ${kind} ${flowTable} ${name}`);
  return [
    ...old('chain', /after-([0-9a-f]{6})/).map(
      ({ generation }) => `delete element ${flowTable} generations { ${markOf(generation)} }`,
    ),
    ...removed('chain', /(?:before|after|translated)-([0-9a-f]{6})/),
    ...removed('set', /flows\/([0-9a-f]{6})\/\S+/),
    ...removed('counter', /flows\/([0-9a-f]{6})\/\S+/),
  ].join('\n');
}
