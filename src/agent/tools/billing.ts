// Billing tools. What is long in the API's answers and says the same twice is left out: CSV lines, rows of zero,
// descriptions of meters, which are told once.
import type { Json, Values } from '../../base/json.ts';
import { pathOf } from '../client/platform-api.ts';
import { withContract } from '../contract.ts';
import { fittingItems } from '../result.ts';
import { contract, id, input, numberOf, optional, type Sight, type Tool, text, textOf, whole } from '../tool.ts';
import { get, listOf, monthOf, ofDatacenter, period, quantityIn, quantityOf, wanted, zero } from './bill.ts';
import { focusMapping } from './focus-mapping.ts';
import { resolvedPath } from './named-ids.ts';
import { utilization, utilizationArguments } from './utilization.ts';

const ofAddress = optional(text('Only of this public address'));
const mostItems = 10_000;
const evnArguments = {
  datacenter_id: ofDatacenter,
  limit: optional(whole('How many items at most; as many as one answer holds by default', 1, mostItems)),
  offset: optional(whole('How many items to pass over', 0, 1_000_000_000)),
};

const tool = (
  name: string,
  description: string,
  args: Record<string, Values>,
  read: (args: Values, sight: Sight) => Promise<Json>,
): Tool => ({
  name,
  group: 'billing',
  description,
  input: input(args),
  read: async (given, sight) => read('contract' in args ? await withContract(given, sight) : given, sight),
});

export const billingTools: readonly Tool[] = [
  tool('get_billing_profile', 'The contracts whose bills the caller may see.', {}, (args, sight) =>
    get(sight, '/profile', args),
  ),
  tool(
    'list_billing_evn',
    'What was used this month, item by item.',
    { contract, ...evnArguments },
    evn('/{contract}/evn'),
  ),
  tool(
    'list_billing_evn_by_period',
    'What was used in a month, item by item.',
    { contract, period, ...evnArguments },
    evn('/{contract}/evn/{period}'),
  ),
  tool('list_billing_invoices', 'List the invoices, newest first.', { contract }, (args, sight) =>
    get(sight, '/{contract}/invoices', args),
  ),
  tool(
    'list_billing_invoices_by_period',
    'The invoices of a month, of all contracts of the caller.',
    { period },
    async (args, { api }) =>
      listOf(await api.json('billing', pathOf('/invoices/{period}', monthOf(args)))).map(sortedInvoice),
  ),
  tool(
    'get_billing_invoice',
    'Show one invoice, line by line, dearest first.',
    { contract, invoice_id: id("The invoice's id") },
    async (args, sight) => sortedInvoice(await get(sight, '/{contract}/invoices/{invoice_id}', args)),
  ),
  tool(
    'list_billing_traffic',
    "This month's traffic with the internet.",
    { contract, ip: ofAddress },
    traffic('/{contract}/traffic'),
  ),
  tool(
    'list_billing_traffic_by_period',
    "A month's traffic with the internet.",
    { contract, period, ip: ofAddress },
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
    { contract, datacenter_id: id("The datacenter's id or name"), include_zero: zero },
    async (args, sight) => {
      const path = await resolvedPath(sight.api, 'cloudapi', '/datacenters/{datacenter_id}', args);
      const datacenterId = path.slice(path.lastIndexOf('/') + 1);
      return usage(await get(sight, `/{contract}/usage/${datacenterId}`, args), { ...args, datacenter_id: '' });
    },
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
    "This month's cost so far by product, dearest first, and what everything that runs costs an hour.",
    { contract },
    async (args, sight) => {
      const { products: all, ...told } = await get(sight, '/{contract}/cost', args);
      return { ...told, products: dearestFirst(listOf(all)) };
    },
  ),
  tool(
    'get_billing_focus_spec',
    'How the billing data maps to the columns of FOCUS 1.3, the open specification of cost and usage.',
    {},
    async () => focusMapping,
  ),
];

// A page of it: a month has an item for each time that each resource had another size.
function evn(path: string): (args: Values, sight: Sight) => Promise<Json> {
  return async (args, sight) => {
    const { metadata = null, datacenters } = await get(sight, path, monthOf(args));
    const items = listOf(datacenters)
      .map(({ vdcUUID = '', name = '', data = [] }) => ({ id: vdcUUID, name, data }))
      .filter((one) => wanted(args, one))
      .flatMap(({ id: own, name, data }) => listOf(data).map((item) => ({ own, name, item })));
    const offset = numberOf(args, 'offset', 0);
    const page = items.slice(offset, offset + numberOf(args, 'limit', mostItems));
    const shown = page.slice(0, fittingItems(page));
    const next = offset + shown.length;
    const parts = [...Map.groupBy(shown, ({ own }) => own).values()];
    return {
      metadata,
      total: items.length,
      datacenters: parts.map((rows) => ({
        vdcUUID: rows[0]?.own ?? '',
        name: rows[0]?.name ?? '',
        data: rows.map(({ item }) => item),
      })),
      ...(next < items.length && { next_offset: next }),
    };
  };
}

function traffic(path: string): (args: Values, sight: Sight) => Promise<Json> {
  return async (args, sight) => {
    const ip = textOf(args, 'ip');
    const query = { output: 'object', ...(ip !== undefined && { ip }) };
    const { trafficObj, metadata = null } = await get(sight, path, monthOf(args), query);
    return { metadata, trafficObj: trafficObj ?? {} };
  };
}

function usage(told: Values, args: Values): Values {
  const datacenters = listOf(told.datacenters)
    .filter((one) => wanted(args, one))
    .map(({ meters, ...rest }) => ({
      ...rest,
      meters: listOf(meters).filter((meter) => args.include_zero === true || quantityOf(meter) !== 0),
    }));
  return { ...told, datacenters };
}

const dearestFirst = (lines: readonly Values[]): Values[] =>
  lines.toSorted((a, b) => quantityIn(b.amount) - quantityIn(a.amount));

const sortedInvoice = (invoice: Values): Values => ({
  ...invoice,
  datacenters: listOf(invoice.datacenters).map((one) => ({ ...one, meters: dearestFirst(listOf(one.meters)) })),
});

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
