// The datacenters with their servers, as the overview draws them.
import { type Look, lookOf, stateOf, stateText } from '../compute/diagram/landscape.ts';

export interface SiteItem {
  id: string;
  href: string;
  properties: { name: string | null; location: string };
}

export interface ServerItem {
  id: string;
  href: string;
  metadata: { state: string };
  properties: { name: string | null; vmState: string | null };
}

export interface Machine {
  id: string;
  name: string;
  path: string; // in the core API
  look: Look;
  state: string;
}

export interface Site {
  id: string;
  name: string;
  location: string;
  path: string;
  machines: readonly Machine[];
  summary: string; // 3 running, 1 crashed
}

export function sitesOf(datacenters: readonly SiteItem[], servers: readonly ServerItem[]): Site[] {
  const machines = new Map<string, Machine[]>();
  for (const server of servers) {
    const machine = machineOf(server);
    const datacenter = machine.path.split('/')[2] ?? '';
    machines.set(datacenter, [...(machines.get(datacenter) ?? []), machine]);
  }
  return datacenters.map(({ id, properties: { name, location } }) => {
    const own = machines.get(id) ?? [];
    return { id, name: name ?? id, location, path: `/datacenters/${id}`, machines: own, summary: summaryOf(own) };
  });
}

function machineOf({ id, href, metadata, properties }: ServerItem): Machine {
  const state = stateOf({ state: metadata.state, vmState: properties.vmState ?? '' });
  const path = href.slice(href.indexOf('/datacenters/'));
  return { id, name: properties.name ?? id, path, look: lookOf(state), state: stateText(state) };
}

// The most frequent state first; no servers: empty.
function summaryOf(machines: readonly Machine[]): string {
  const counts = new Map<string, number>();
  for (const { state } of machines) counts.set(state, (counts.get(state) ?? 0) + 1);
  return [...counts]
    .toSorted(([, one], [, other]) => other - one)
    .map(([state, count]) => `${count} ${state}`)
    .join(', ');
}

export const crashedOf = (sites: readonly Site[]): Machine[] =>
  sites.flatMap(({ machines }) => machines.filter(({ look }) => look === 'failed'));
