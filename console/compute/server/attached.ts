// The addresses of a server with their LANs, and its volumes with their images.
import type { Item } from '../../resources/model.ts';
import { insideOf } from '../list-facts.ts';

export interface Attached {
  nics: readonly AttachedNic[];
  volumes: readonly AttachedVolume[];
}

export interface AttachedNic {
  id: string;
  name: string;
  path: string; // below the service
  ips: readonly string[]; // IPv4 and IPv6
  lan: { name: string; path: string; isPublic: boolean };
}

export interface AttachedVolume {
  id: string;
  name: string;
  path: string;
  sizeGb: number;
  image: string; // its id; empty: none
  isBoot: boolean;
}

// `path`: of the datacenter, below the service. `server` includes the properties of its NICs and volumes.
export function attachedOf(path: string, server: Item, lans: readonly Item[]): Attached {
  const lanById = new Map(lans.map((lan) => [lan.id, lan]));
  const boot = server.properties.bootVolume as { id?: string } | null | undefined;
  return {
    nics: insideOf(server, 'nics').map(({ id, properties }) => {
      const number = String(properties.lan);
      const lan = lanById.get(number)?.properties;
      return {
        id,
        name: textOf(properties.name) || 'NIC',
        path: `${path}/servers/${server.id}/nics/${id}`,
        ips: [...textsOf(properties.ips), ...textsOf(properties.ipv6Ips)],
        lan: {
          name: textOf(lan?.name) || `LAN ${number}`,
          path: `${path}/lans/${number}`,
          isPublic: lan?.public === true,
        },
      };
    }),
    volumes: insideOf(server, 'volumes').map(({ id, properties }) => ({
      id,
      name: textOf(properties.name) || id,
      path: `${path}/volumes/${id}`,
      sizeGb: Number(properties.size),
      image: textOf(properties.image),
      isBoot: id === boot?.id,
    })),
  };
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const textsOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);
