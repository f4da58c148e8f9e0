// The itemised record of a month: one entry per resource, meter and interval of the same size. An entry's quantity is
// value / valueDivisor · intervalMin / intervalDivisor, in units of the price list.
import { iso } from '../../base/clock.ts';
import type { Values } from '../../base/json.ts';
import { type Item, itemsOf, partOf } from '../bill.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { PriceList } from '../prices/price-list.ts';
import { csvLine } from './csv.ts';

const header =
  'contractId,VDCUUID,VDCName,ResourceType,ResourceUUID,IntervalMin,IntervalDivisor,From,To,ItemStub,Value,' +
  'ValueDivisor,Additional Parameters';

export function evnReport(contract: number, ledger: Ledger, prices: PriceList, metadata: Values): Values {
  const parts = new Map<string, Values[]>();
  const lines = [header];
  for (const item of itemsOf(ledger, prices)) {
    const entry = entryOf(item);
    const known = parts.get(item.partId);
    if (known) known.push(entry);
    else parts.set(item.partId, [entry]);
    lines.push(csvLine([contract, item.partId, partOf(ledger, item.partId).name, ...Object.values(entry)]));
  }
  const datacenters = [...parts].map(([id, data]) => ({ vdcUUID: id, name: partOf(ledger, id).name, data }));
  return { metadata, datacenters, evnCSV: lines };
}

// In the order of the header's columns.
function entryOf({ price, stay, use }: Item): Values {
  const path = (stay ?? use)?.path ?? '';
  return {
    resourceType: price.resourceType,
    resourceUUID: path.slice(path.lastIndexOf('/') + 1),
    intervalMin: stay?.minutes ?? 1,
    intervalDivisor: price.perMinutes ?? 1,
    from: iso(stay?.from ?? use?.time ?? 0),
    to: iso(stay?.to ?? use?.time ?? 0),
    itemStub: price.meterId,
    value: stay?.amount ?? use?.amount ?? 0,
    valueDivisor: price.perAmount,
    additionalParameters: stay?.name ?? '',
  };
}
