// Usage marks: the sizes of resources over time. They are written with the change itself, so that billing counts every
// minute of a resource and no other.

import type { Values } from '../../base/json.ts';
import type { Resource } from '../resource.ts';
import type { Write } from '../state/engine.ts';
import { rowOf } from '../state/engine.ts';

export const usagePlace = 'usage';
export const consumptionPlace = 'consumption';

export interface Mark {
  path: string;
  kind: string;
  meters: Record<string, number>; // from this moment on; all zero: it was deleted
  name?: string; // as bills show it …
  location?: string; // … also when it was deleted
}

export function mark(
  resource: Resource,
  contract: number,
  path: string,
  values: Values | undefined,
  now: number,
): Write[] {
  if (!resource.usage.meter) return [];
  const { name, location } = values ?? {};
  const body: Mark = { path, kind: resource.name, meters: values ? resource.usage.meter(values) : {} };
  if (typeof name === 'string') body.name = name;
  if (typeof location === 'string') body.location = location;
  return [usageMark(contract, body, now)];
}

export function usageMark(contract: number, body: Mark, now: number): Write {
  const { kind } = body;
  const row = rowOf({ contract, place: usagePlace, id: '', kind, time: now, body: JSON.stringify(body) });
  return { op: 'append', table: 'usage', row };
}

// The consumption since the last entry of the same path, such as requests and sent bytes.
export interface Consumption {
  path: string;
  kind: string;
  amounts: Record<string, number>;
}

export function consumptionEntry(contract: number, body: Consumption, now: number): Write {
  const { kind } = body;
  const row = rowOf({ contract, place: consumptionPlace, id: '', kind, time: now, body: JSON.stringify(body) });
  return { op: 'append', table: 'usage', row };
}
