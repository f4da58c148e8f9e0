// Billing tools. What is long in the API's answers and says the same twice is left out: CSV lines, rows of zero,
// descriptions of meters, which are told once.
import { isObject, type Json, type Values } from '../../base/json.ts';
import { Failure } from '../client/failure.ts';
import { pathOf } from '../client/platform-api.ts';
import {
  contract,
  flag,
  id,
  input,
  numberOf,
  optional,
  type Sight,
  type Tool,
  text,
  textOf,
  texts,
  textsOf,
  whole,
} from '../tool.ts';
import { focusMapping } from './focus-mapping.ts';

const period = text('The month, YYYY-MM', { pattern: '^\\d{4}-\\d{2}$' });
const zero = optional(flag('With rows whose quantity is zero'));
const ofDatacenter = optional(text('Only of the datacenter with this id'));

const tool = (
  name: string,
  description: string,
  args: Record<string, Values>,
  read: (args: Values, sight: Sight) => Promise<Json>,
): Tool => ({ name, group: 'billing', description, input: input(args), read });

const get = async ({ api }: Sight, path: string, args: Values, query: Record<string, string> = {}): Promise<Values> =>
  api.object('billing', pathOf(path, args), query);

const utilizationArguments = {
  include_zero: zero,
  group_by: optional(text('Sum up by meter, or by datacenter', { enum: ['', 'meter', 'datacenter'] })),
  datacenter_id: ofDatacenter,
  meter_types: optional(texts('Only of these types of resources, such as SERVER')),
  regions: optional(texts('Only of these locations, such as de/txl')),
  top_n: optional(whole('Only the rows with the greatest quantities', 1, 1000)),
};

export const billingTools: readonly Tool[] = [
  tool('get_billing_profile', 'The contracts whose bills the caller may see.', {}, (args, sight) =>
    get(sight, '/profile', args),
  ),
  tool('list_billing_evn', 'What was used this month, item by item.', { contract }, evn('/{contract}/evn')),
  tool(
    'list_billing_evn_by_period',
    'What was used in a month, item by item.',
    { contract, period },
    evn('/{contract}/evn/{period}'),
  ),
  tool('list_billing_invoices', 'List the invoices, newest first.', { contract }, (args, sight) =>
    get(sight, '/{contract}/invoices', args),
  ),
  tool(
    'list_billing_invoices_by_period',
    'The invoices of a month, of all contracts of the caller.',
    { period },
    async (args, { api }) => api.json('billing', pathOf('/invoices/{period}', monthOf(args))),
  ),
  tool(
    'get_billing_invoice',
    'Show one invoice, line by line.',
    { contract, invoice_id: id("The invoice's id") },
    (args, sight) => get(sight, '/{contract}/invoices/{invoice_id}', args),
  ),
  tool('list_billing_traffic', "This month's traffic with the internet.", { contract }, traffic('/{contract}/traffic')),
  tool(
    'list_billing_traffic_by_period',
    "A month's traffic with the internet.",
    { contract, period },
    traffic('/{contract}/traffic/{period}'),
  ),
  tool(
    'list_billing_usage',
    'What was used this month, by datacenter and meter.',
    { contract, include_zero: zero, datacenter_id: ofDatacenter },
    async (args, sight) => usage(await get(sight, '/{contract}/usage', args), args),
  ),
  tool(
    'get_billing_usage_by_datacenter',
    'What one datacenter used this month.',
    { contract, datacenter_id: id("The datacenter's id"), include_zero: zero },
    async (args, sight) => usage(await get(sight, '/{contract}/usage/{datacenter_id}', args), args),
  ),
  tool(
    'list_billing_utilization',
    'What each resource used this month.',
    { contract, ...utilizationArguments },
    utilization('/{contract}/utilization'),
  ),
  tool(
    'list_billing_utilization_by_period',
    'What each resource used in a month.',
    { contract, period, ...utilizationArguments },
    utilization('/{contract}/utilization/{period}'),
  ),
  tool(
    'get_billing_utilization_daily',
    'What each resource used on a day.',
    { contract, date: text('The day, YYYY-MM-DD', { pattern: '^\\d{4}-\\d{2}-\\d{2}$' }), ...utilizationArguments },
    utilization('/{contract}/utilization/daily/{date}'),
  ),
  tool(
    'list_billing_products',
    'Search the price list. The filter is a keyword, such as "RAM"; an empty one lists everything.',
    { contract, filter: text('A keyword in the id, description or product group of a price') },
    products,
  ),
  tool(
    'get_billing_cost',
    "This month's cost so far by product, and what everything that runs costs an hour.",
    { contract },
    (args, sight) => get(sight, '/{contract}/cost', args),
  ),
  tool(
    'get_billing_focus_spec',
    'How the billing data maps to the columns of FOCUS 1.3, the open specification of cost and usage.',
    {},
    async () => focusMapping,
  ),
];

// A wrong period is told without a call.
function monthOf(args: Values): Values {
  const { period: month, date } = args;
  if (typeof month === 'string' && !(Number(month.slice(5)) >= 1 && Number(month.slice(5)) <= 12))
    throw new Failure(`period: '${month}' is no month; expected YYYY-MM.`);
  if (typeof date === 'string' && Number.isNaN(Date.parse(date)))
    throw new Failure(`date: '${date}' is no day; expected YYYY-MM-DD.`);
  return args;
}

function evn(path: string): (args: Values, sight: Sight) => Promise<Json> {
  return async (args, sight) => {
    const { evnCSV: _, ...rest } = await get(sight, path, monthOf(args));
    return rest;
  };
}

function traffic(path: string): (args: Values, sight: Sight) => Promise<Json> {
  return async (args, sight) => {
    const { trafficObj, metadata = null } = await get(sight, path, monthOf(args), { output: 'object' });
    return { metadata, trafficObj: trafficObj ?? {} };
  };
}

const listOf = (value: Json | undefined): Values[] => (Array.isArray(value) ? value.filter(isObject) : []);
const quantityOf = ({ quantity }: Values): number => Number(isObject(quantity) ? quantity.quantity : quantity);
const unitOf = ({ quantity, unit }: Values): Json => (isObject(quantity) ? quantity.unit : unit) ?? null;
const wanted = (args: Values, { id: own }: Values): boolean => (textOf(args, 'datacenter_id') ?? own) === own;

function usage(told: Values, args: Values): Values {
  const datacenters = listOf(told.datacenters)
    .filter((one) => wanted(args, one))
    .map(({ meters, ...rest }) => ({
      ...rest,
      meters: listOf(meters).filter((meter) => args.include_zero === true || quantityOf(meter) !== 0),
    }));
  return { ...told, datacenters };
}

interface Meter {
  datacenter: Values;
  row: Values;
  description: string;
}

function utilization(path: string): (args: Values, sight: Sight) => Promise<Json> {
  return async (args, sight) => {
    const told = await get(sight, path, monthOf(args));
    const meters = listOf(told.datacenters)
      .filter((one) => wanted(args, one))
      .flatMap((datacenter) => listOf(datacenter.meters).map((meter) => meterOf(datacenter, meter)))
      .filter(({ row }) => isAsked(args, row));
    const grouped = summed(meters, textOf(args, 'group_by') ?? '');
    const metadata = isObject(told.metadata) ? told.metadata : {};
    return {
      start_date: told.startDate ?? null,
      end_date: told.endDate ?? null,
      contract_id: metadata.contractId ?? null,
      meter_definitions: Object.fromEntries(meters.map(({ row, description }) => [String(row.meter_id), description])),
      ...(args.top_n === undefined ? byDatacenter(grouped) : top(grouped, numberOf(args, 'top_n', 10))),
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

function isAsked(args: Values, row: Values): boolean {
  const [types, regions] = [textsOf(args, 'meter_types'), textsOf(args, 'regions')];
  if (types.length > 0 && !types.includes(String(row.type))) return false;
  if (regions.length > 0 && !regions.includes(String(row.region))) return false;
  return args.include_zero === true || row.quantity !== 0;
}

// By meter over everything, by meter in each datacenter, or not at all.
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

function top(meters: readonly Meter[], count: number): Values {
  const sorted = meters.toSorted((a, b) => Number(b.row.quantity) - Number(a.row.quantity)).slice(0, count);
  const shown = sorted.map(({ datacenter, row }) => ({
    ...row,
    dc_id: datacenter.id ?? '',
    dc_name: datacenter.name ?? '',
  }));
  return { top_meters: shown };
}

async function products(args: Values, sight: Sight): Promise<Json> {
  const told = await get(sight, '/{contract}/products', args);
  const filter = textOf(args, 'filter') ?? '';
  const word = filter.toLowerCase();
  const found = listOf(told.products).filter(({ meterId, meterDesc, productGroup }) =>
    [meterId, meterDesc, productGroup].some((one) => String(one).toLowerCase().includes(word)),
  );
  const { metadata = null, liability = null } = told;
  return { metadata, liability, appliedFilter: filter, matchCount: found.length, products: found };
}
