// Counts for a datacenter with more servers than the diagram can show: servers in each LAN, and how many of them run.
import type { Item } from '../../resources/model.ts';

export interface Crowd {
  path: string;
  servers: number;
  running: number;
  unconnected: number; // in no LAN
  lans: readonly CrowdedLan[]; // the fullest first
}

export interface CrowdedLan {
  id: string;
  name: string;
  isPublic: boolean;
  nics: number;
  servers: number;
  running: number;
  others: readonly { name: string; servers: number }[]; // other LANs of its servers
}

const mostOthers = 5;

export function crowdOf(
  path: string,
  lans: readonly Item[],
  servers: readonly string[],
  running: readonly string[],
): Crowd {
  const isRunning = new Set(running);
  const members = new Map(lans.map((lan) => [lan, new Set(nicsOf(lan).map(serverIn))]));
  const connected = new Set([...members.values()].flatMap((ids) => [...ids]));
  const shared = (a: ReadonlySet<string>, b: ReadonlySet<string>): number => [...a].filter((id) => b.has(id)).length;
  return {
    path,
    servers: servers.length,
    running: running.length,
    unconnected: servers.filter((id) => !connected.has(id)).length,
    lans: [...members]
      .map(([lan, ids]) => ({
        id: lan.id,
        name: nameOf(lan),
        isPublic: lan.properties.public === true,
        nics: nicsOf(lan).length,
        servers: ids.size,
        running: [...ids].filter((id) => isRunning.has(id)).length,
        others: [...members]
          .filter(([other]) => other !== lan)
          .map(([other, theirs]) => ({ name: nameOf(other), servers: shared(ids, theirs) }))
          .filter(({ servers: count }) => count > 0)
          .sort((a, b) => b.servers - a.servers)
          .slice(0, mostOthers),
      }))
      .sort((a, b) => b.servers - a.servers),
  };
}

const nameOf = ({ id, properties }: Item): string =>
  (typeof properties.name === 'string' && properties.name) || `LAN ${id}`;
const nicsOf = ({ entities }: Item): Item[] => (entities?.nics as { items?: Item[] } | undefined)?.items ?? [];

// …/servers/S/nics/N
const serverIn = ({ href = '' }: Item): string => href.split('/').at(-3) ?? '';
