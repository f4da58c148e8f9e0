// Traffic with the internet, by day: of each datacenter and of each of its public addresses, in bytes.
import { Fault } from '../../base/fault.ts';
import type { Json, Values } from '../../base/json.ts';
import { partIdOf, partOf } from '../bill.ts';
import type { Ledger, Use } from '../ledger/ledger.ts';
import { dateText } from '../period.ts';
import { csvLine } from './csv.ts';

interface Counted {
  In: number;
  Out: number;
}
type ByDay = Map<string, Counted>;

export const trafficOutputs = ['object', 'array', 'CSV', 'all'];
const columns = ['VDC UUID', 'VDC name', 'IP', 'Date', 'In', 'Out'];

export function trafficReport(ledger: Ledger, ip: string | null, output: string, metadata: Values): Values {
  if (!trafficOutputs.includes(output))
    throw new Fault('refused', `Expected an output of ${trafficOutputs.join(', ')}, got '${output.slice(0, 20)}'.`);
  const addresses = new Map<string, ByDay>(); // `datacenter ip`
  const datacenters = new Map<string, ByDay>();
  for (const use of ledger.uses) {
    if (use.kind !== 'traffic' || (ip !== null && ipOf(use) !== ip)) continue;
    const id = partIdOf(use.path);
    count(datacenters, id, use);
    count(addresses, `${id} ${ipOf(use)}`, use);
  }
  const nameOf = (id: string): string => partOf(ledger, id).name;
  const rows: Json[][] = [...addresses].flatMap(([key, days]) => {
    const [id = '', address = ''] = key.split(' ');
    return [...days].map(([day, { In, Out }]) => [id, nameOf(id), address, day, In, Out]);
  });
  const vdc = [...datacenters].map(([id, days]) => ({ vdcUUID: id, vdcName: nameOf(id), dates: datesOf(days) }));
  const nic = [...addresses].map(([key, days]) => {
    const [id = '', address = ''] = key.split(' ');
    return { vdcUUID: id, vdcName: nameOf(id), ip: address, dates: datesOf(days) };
  });
  const wants = (one: string): boolean => output === 'all' || output === one;
  return {
    metadata,
    ...(wants('object') && { trafficObj: { vdc, nic } }),
    ...(wants('array') && { trafficArr: [columns, ...rows] }),
    ...(wants('CSV') && { traffic: [columns, ...rows].map(csvLine) }),
  };
}

const ipOf = ({ path }: Use): string => path.slice(path.lastIndexOf('/') + 1);

function count(into: Map<string, ByDay>, key: string, { meter, amount, time }: Use): void {
  const days = into.get(key) ?? new Map<string, Counted>();
  into.set(key, days);
  const day = days.get(dateText(time)) ?? { In: 0, Out: 0 };
  days.set(dateText(time), day);
  if (meter === 'bytesIn') day.In += amount;
  else day.Out += amount;
}

const datesOf = (days: ByDay): Values[] => [...days].map(([day, counted]) => ({ Date: day, ...counted }));
