// `seed --diff --from`: compares the region with a contract of the platform or of another region. Both are only read.
import { Fault } from '../../base/fault.ts';
import type { Json } from '../../base/json.ts';
import type { Input } from '../../command/command.ts';
import { environment } from '../../config/environment.ts';
import { declaredHomes, declaredOffer, declaredResources } from '../../products.ts';
import type { Difference } from '../../seeds/diff/difference.ts';
import { type Comparison, compared } from '../../seeds/diff/differences.ts';
import { type RemoteTree, remoteTree } from '../../seeds/dump/remote-dump.ts';
import { placeholderLines } from '../../seeds/placeholders.ts';
import { sectionsOf } from '../../surface/docs/seed-sections.ts';
import { askRegion } from '../admin/operations.ts';
import { readRemote, writeText } from './remote-dump.ts';

const differs = 3; // the exit code

export async function diffRemote(input: Input): Promise<number> {
  for (const option of ['anonymise', 'objects', 'objects-max'])
    if (input.has(option)) throw new Fault('refused', `--${option} is for --dump. A comparison reads settings only.`);
  await askRegion(input.data, 'ready', {}); // fails before the other side is read
  let code = 0;
  await readRemote(input, remoteTree, async (remote) => {
    const comparison = await compareWith(input, remote);
    const report = { from: input.get('from') ?? '', ...comparison, notCompared: remote.notes };
    if (comparison.differences.length > 0) code = differs;
    const text = input.has('json') ? `${JSON.stringify(report, null, 2)}\n` : `${linesOf(report).join('\n')}\n`;
    writeText(input, text);
  });
  return code;
}

async function compareWith(input: Input, { tree: there, unread }: RemoteTree): Promise<Comparison> {
  const found = there.sections.datacenters ?? []; // several may have one name
  const textsOf = (key: string): string[] => found.map((one) => String(one[key]));
  const datacenters = input.has('datacenter') ? [textsOf('id'), textsOf('name')] : undefined;
  const hasBuckets = !unread.buckets.includes('');
  const here = await askRegion(input.data, 'seed/tree', { datacenters, hasBuckets }, 0);
  const offer = await declaredOffer(environment.catalogue());
  const sections = sectionsOf(await declaredResources(), declaredHomes());
  return compared({ there, here, unread, sections, home: offer.regions.home, offer, unreadBuckets: unread.buckets });
}

interface Report extends Comparison {
  from: string;
  notCompared: string[];
}

// One line for each difference, so that it can be searched and compared with an earlier report.
function linesOf({ from, differences, placeholders, notCompared }: Report): string[] {
  const count = differences.length;
  const sections = Map.groupBy(differences, ({ section }) => section);
  const groups = [...sections].flatMap(([section, all]) => [
    `${section}:`,
    ...all.map((one) => `  ${lineOf(one)}`),
    '',
  ]);
  const listed = (title: string, lines: readonly string[]): string[] =>
    lines.length === 0 ? [] : ['', `${title}:`, ...lines.map((line) => `  ${line}`)];
  return [
    ...(count === 0 ? [] : [`Changed values are shown as: this region → ${from}`, '', ...groups]),
    count === 0 ? `No differences from ${from}.` : `${count} ${count === 1 ? 'difference' : 'differences'}.`,
    ...listed('Placeholders in this region', placeholderLines(placeholders)),
    ...listed('Not compared', notCompared),
  ];
}

function lineOf({ resource, path, difference, property, here, there }: Difference): string {
  const place = [...path.slice(0, -1), `${resource} ${path.at(-1)}`].join(' / ');
  if (difference !== 'changed') return `${place}: ${difference}`;
  return `${place}: ${property}: ${shown(here)} → ${shown(there)}`;
}

const mostCharacters = 100;

function shown(value: Json | undefined): string {
  if (value === undefined) return '(none)';
  const text = typeof value === 'string' && /^\S+$/.test(value) ? value : JSON.stringify(value);
  return text.length > mostCharacters ? `${text.slice(0, mostCharacters)}…` : text;
}
