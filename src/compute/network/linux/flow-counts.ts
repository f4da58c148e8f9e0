// The counts of flows at interfaces, read from a listed table of flow-table.ts.
import type { PassedFlow } from '../../flow-log/flow-totals.ts';
import type { Direction } from '../spec.ts';
import { type Role, roles } from './flow-table.ts';

export type CountedFlow = Omit<PassedFlow, 'time'>;

export interface InterfaceFlows {
  id: string; // of the interface
  flows: CountedFlow[];
  isComplete: boolean; // false: a set was full
}

interface Count {
  packets: number;
  bytes: number;
}

interface Counts extends Pick<CountedFlow, 'direction' | 'sourceIp' | 'targetIp' | 'sourcePort' | 'targetPort'> {
  protocol: number;
  counts: Record<CountedFlow['action'], Count>;
}

const parts = /^\t(set|counter) flows\/([0-9a-f]{6})\/([^/\s]+)\/(\S+) \{\n([\s\S]*?)^\t\}$/gm;
const elements = /([\da-f.:]+) \. (\d+) \. ([\da-f.:]+) \. (\d+) \. (\d+) counter packets (\d+) bytes (\d+)/g;

// Of all generations except the current one.
export function flowsIn(listed: string, current: string | undefined): InterfaceFlows[] {
  const interfaces = new Map<string, { flows: Map<string, Counts>; isComplete: boolean }>();
  for (const [, kind, generation, id = '', rest = '', body = ''] of listed.matchAll(parts)) {
    if (generation === current) continue;
    const known = interfaces.get(id) ?? { flows: new Map<string, Counts>(), isComplete: true };
    interfaces.set(id, known);
    if (kind === 'counter') {
      if (!/packets 0 /.test(body)) known.isComplete = false;
      continue;
    }
    const [direction, role] = rest.split('/') as [Direction, Role];
    for (const element of body.matchAll(elements)) addElement(known.flows, element, direction, role);
  }
  return [...interfaces].map(([id, { flows, isComplete }]) => ({
    id,
    flows: [...flows.values()].flatMap(countedFlows),
    isComplete,
  }));
}

function addElement(flows: Map<string, Counts>, element: RegExpExecArray, direction: Direction, role: Role): void {
  const [, sourceIp = '', sourcePort, targetIp = '', targetPort, protocol, packets, bytes] = element;
  const key = `${direction} ${sourceIp} ${sourcePort} ${targetIp} ${targetPort} ${protocol}`;
  const flow = flows.get(key) ?? {
    ...{ direction, sourceIp, targetIp, sourcePort: Number(sourcePort), targetPort: Number(targetPort) },
    protocol: Number(protocol),
    counts: { ACCEPT: { packets: 0, bytes: 0 }, REJECT: { packets: 0, bytes: 0 } },
  };
  flows.set(key, flow);
  for (const action of ['ACCEPT', 'REJECT'] as const) {
    flow.counts[action].packets += roles[role][action] * Number(packets);
    flow.counts[action].bytes += roles[role][action] * Number(bytes);
  }
}

const countedFlows = ({ counts, ...flow }: Counts): CountedFlow[] =>
  (['ACCEPT', 'REJECT'] as const)
    .filter((action) => counts[action].packets > 0)
    .map((action) => ({ ...flow, action, ...counts[action] }));
