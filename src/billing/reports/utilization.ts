// The usage of each resource in a month or on a day.

import { iso } from '../../base/clock.ts';
import { decimalText } from '../../base/decimal.ts';
import type { Values } from '../../base/json.ts';
import { type Item, itemsOf, partOf } from '../bill.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { dateText, type Period } from '../period.ts';
import { type PriceList, quantityOf } from '../prices/price-list.ts';

export interface UtilizationFilter {
  dc: string | null; // each is null if it was not requested
  resource: string | null;
  type: string | null;
}

interface Entry {
  item: Item;
  path: string;
  name: string;
  from: number;
  to: number;
  sum: bigint;
}

export function utilizationReport(
  period: Period,
  ledger: Ledger,
  prices: PriceList,
  filter: UtilizationFilter,
  metadata: Values,
): Values {
  const entries = new Map<string, Entry>();
  for (const item of itemsOf(ledger, prices)) if (passes(item, filter)) gather(entries, item);
  const parts = new Map<string, Values[]>();
  for (const entry of entries.values()) {
    const { partId } = entry.item;
    const { location } = partOf(ledger, partId);
    const meters = parts.get(partId) ?? [];
    parts.set(partId, meters);
    meters.push(shown(entry, location, !ledger.removed.has(entry.path)));
  }
  return {
    metadata,
    startDate: dateText(period.from),
    endDate: dateText(period.to - 1),
    datacenters: [...parts].map(([id, meters]) => ({ id, name: partOf(ledger, id).name, meters })),
  };
}

function passes({ partId, price, stay, use }: Item, { dc, resource, type }: UtilizationFilter): boolean {
  const id = lastOf((stay ?? use)?.path ?? '');
  return (
    (dc === null || dc === partId) &&
    (resource === null || resource === id) &&
    (type ?? price.resourceType) === price.resourceType
  );
}

function gather(entries: Map<string, Entry>, item: Item): void {
  const { stay, use, sum, price } = item;
  const path = (stay ?? use)?.path ?? '';
  const from = stay?.from ?? use?.time ?? 0;
  const to = stay?.to ?? use?.time ?? 0;
  const key = `${path} ${price.meterId}`;
  const known = entries.get(key);
  if (!known) {
    entries.set(key, { item, path, name: stay?.name ?? '', from, to, sum });
    return;
  }
  known.sum += sum;
  known.from = Math.min(known.from, from);
  known.to = Math.max(known.to, to);
  known.name = stay?.name || known.name;
}

function shown({ item: { price }, path, name, from, to, sum }: Entry, location: string, exists: boolean): Values {
  const id = lastOf(path);
  return {
    id,
    resourceId: id,
    serverId: price.kind === 'server' ? id : null,
    name: name || id,
    type: price.resourceType,
    from: iso(from),
    to: iso(to),
    exists,
    meterId: price.meterId,
    meterDesc: price.description,
    region: location,
    quantity: { quantity: Number(decimalText(quantityOf(price, sum), 10)), unit: price.unit },
  };
}

const lastOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
