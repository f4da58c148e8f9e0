// The usage of each resource: by datacenter, summed up, or the rows with the highest cost.
import { isObject, type Json, type Values } from '../../base/json.ts';
import { numberOf, optional, type ToolContext, text, textOf, texts, textsOf, whole } from '../tool.ts';
import { byAmount, get, listOf, monthOf, ofDatacenter, quantityIn, quantityOf, unitOf, wanted, zero } from './bill.ts';

export const utilizationArguments = {
  include_zero: zero,
  group_by: optional(text('Sum up by meter, or by datacenter', { enum: ['', 'meter', 'datacenter'] })),
  datacenter_id: ofDatacenter,
  meter_types: optional(texts('Only of these types of resources, such as SERVER')),
  regions: optional(texts('Only of these locations, such as de/txl')),
  top_n: optional(whole('Only this many rows with the highest cost, with their costs', 1, 1000)),
};

interface Meter {
  datacenter: Values;
  row: Values;
  description: string;
}

export function utilization(path: string): (args: Values, context: ToolContext) => Promise<Json> {
  return async (args, context) => {
    const answer = await get(context, path, monthOf(args));
    const meters = listOf(answer.datacenters)
      .filter((one) => wanted(args, one))
      .flatMap((datacenter) => listOf(datacenter.meters).map((meter) => meterOf(datacenter, meter)))
      .filter(({ row }) => matchesFilter(args, row));
    const grouped = summed(meters, textOf(args, 'group_by') ?? '');
    const metadata = isObject(answer.metadata) ? answer.metadata : {};
    return {
      start_date: answer.startDate ?? null,
      end_date: answer.endDate ?? null,
      contract_id: metadata.contractId ?? null,
      meter_definitions: Object.fromEntries(meters.map(({ row, description }) => [String(row.meter_id), description])),
      ...(args.top_n === undefined
        ? byDatacenter(grouped)
        : top(grouped, await ratesOf(args, context), numberOf(args, 'top_n', 10))),
    };
  };
}

function meterOf(datacenter: Values, meter: Values): Meter {
  const { meterId, meterDesc, type, region, resourceId, serverId, name } = meter;
  const row: Values = {
    meter_id: meterId ?? '',
    type: type ?? '',
    region: region ?? '',
    resource_id: resourceId ?? '',
    ...(serverId ? { server_id: serverId } : {}),
    ...(name && name !== resourceId ? { name } : {}),
    quantity: rounded(quantityOf(meter)),
    unit: unitOf(meter),
  };
  return { datacenter, row, description: String(meterDesc ?? '') };
}

const rounded = (quantity: number): number => Number(quantity.toFixed(6));

function matchesFilter(args: Values, row: Values): boolean {
  const [types, regions] = [textsOf(args, 'meter_types'), textsOf(args, 'regions')];
  if (types.length > 0 && !types.includes(String(row.type))) return false;
  if (regions.length > 0 && !regions.includes(String(row.region))) return false;
  return args.include_zero === true || row.quantity !== 0;
}

// Sums by meter over everything, by meter in each datacenter, or not at all.
function summed(meters: readonly Meter[], by: string): Meter[] {
  if (by === '') return [...meters];
  const sums = new Map<string, Meter>();
  for (const { datacenter, row, description } of meters) {
    const key = by === 'meter' ? String(row.meter_id) : `${datacenter.id} ${row.meter_id}`;
    const known = sums.get(key)?.row;
    const { meter_id, type, unit } = row as { meter_id: Json; type: Json; unit: Json };
    const quantity = rounded(Number(known?.quantity ?? 0) + Number(row.quantity));
    const whole = { id: 'all', name: 'All datacenters' };
    const place = by === 'meter' ? whole : datacenter;
    sums.set(key, { datacenter: place, row: { meter_id, type, quantity, unit }, description });
  }
  return [...sums.values()];
}

function byDatacenter(meters: readonly Meter[]): Values {
  const parts = Map.groupBy(meters, ({ datacenter }) => String(datacenter.id));
  return {
    datacenters: [...parts].map(([own, rows]) => ({
      id: own,
      name: rows[0]?.datacenter.name ?? '',
      meters: rows.map(({ row }) => row),
    })),
  };
}

// Quantities with different units can't be compared, but costs can.
function top(meters: readonly Meter[], rates: ReadonlyMap<string, number>, count: number): Values {
  const priced = meters.map(({ datacenter, row }) => ({
    row: { ...row, dc_id: datacenter.id ?? '', dc_name: datacenter.name ?? '' },
    amount: Number(row.quantity) * (rates.get(String(row.meter_id)) ?? 0),
  }));
  const shown = priced.toSorted(byAmount).slice(0, count);
  return { top_meters: shown.map(({ row, amount }) => ({ ...row, cost: amount.toFixed(4) })) };
}

async function ratesOf(args: Values, context: ToolContext): Promise<Map<string, number>> {
  const answer = await get(context, '/{contract}/products', args);
  return new Map(listOf(answer.products).map(({ meterId, unitCost }) => [String(meterId), quantityIn(unitCost)]));
}
