// Billing tools. They omit long and redundant parts of the API's answers: CSV lines, rows of zero, and repeated
// descriptions of meters.
import type { Json, Values } from '../../base/json.ts';
import { pathOf } from '../client/platform-api.ts';
import { withContract } from '../contract.ts';
import { fittingItems } from '../result.ts';
import { contract, id, input, numberOf, optional, type Tool, type ToolContext, text, textOf, whole } from '../tool.ts';
import { get, listOf, monthOf, ofDatacenter, period, quantityIn, quantityOf, wanted, zero } from './bill.ts';
import { focusMapping } from './focus-mapping.ts';
import { resolvedPath } from './named-ids.ts';
import { utilization, utilizationArguments } from './utilization.ts';

const ofAddress = optional(text('Only of this public address'));
const maxItems = 10_000;
const evnArguments = {
  datacenter_id: ofDatacenter,
  limit: optional(whole('Maximum number of items; as many as one answer holds by default', 1, maxItems)),
  offset: optional(whole('Number of items to skip', 0, 1_000_000_000)),
};

const tool = (
  name: string,
  description: string,
  args: Record<string, Values>,
  read: (args: Values, context: ToolContext) => Promise<Json>,
): Tool => ({
  name,
  group: 'billing',
  description,
  input: input(args),
  read: async (given, context) => read('contract' in args ? await withContract(given, context) : given, context),
});

export const billingTools: readonly Tool[] = [
  tool('get_billing_profile', 'List the contracts whose bills the caller may see.', {}, (args, context) =>
    get(context, '/profile', args),
  ),
  tool(
    'list_billing_evn',
    'Show the usage of this month, item by item.',
    { contract, ...evnArguments },
    evn('/{contract}/evn'),
  ),
  tool(
    'list_billing_evn_by_period',
    'Show the usage of a month, item by item.',
    { contract, period, ...evnArguments },
    evn('/{contract}/evn/{period}'),
  ),
  tool('list_billing_invoices', 'List the invoices, newest first.', { contract }, (args, context) =>
    get(context, '/{contract}/invoices', args),
  ),
  tool(
    'list_billing_invoices_by_period',
    'List the invoices of a month, of all contracts of the caller.',
    { period },
    async (args, { api }) =>
      listOf(await api.json('billing', pathOf('/invoices/{period}', monthOf(args)))).map(sortedInvoice),
  ),
  tool(
    'get_billing_invoice',
    'Show one invoice, line by line, highest cost first.',
    { contract, invoice_id: id("The invoice's id") },
    async (args, context) => sortedInvoice(await get(context, '/{contract}/invoices/{invoice_id}', args)),
  ),
  tool(
    'list_billing_traffic',
    "Show this month's traffic with the internet.",
    { contract, ip: ofAddress },
    traffic('/{contract}/traffic'),
  ),
  tool(
    'list_billing_traffic_by_period',
    "Show a month's traffic with the internet.",
    { contract, period, ip: ofAddress },
    traffic('/{contract}/traffic/{period}'),
  ),
  tool(
    'list_billing_usage',
    'Show the usage of this month, by datacenter and meter.',
    { contract, include_zero: zero, datacenter_id: ofDatacenter },
    async (args, context) => usage(await get(context, '/{contract}/usage', args), args),
  ),
  tool(
    'get_billing_usage_by_datacenter',
    'Show the usage of one datacenter this month.',
    { contract, datacenter_id: id("The datacenter's id or name"), include_zero: zero },
    async (args, context) => {
      const path = await resolvedPath(context.api, 'cloudapi', '/datacenters/{datacenter_id}', args);
      const datacenterId = path.slice(path.lastIndexOf('/') + 1);
      return usage(await get(context, `/{contract}/usage/${datacenterId}`, args), { ...args, datacenter_id: '' });
    },
  ),
  tool(
    'list_billing_utilization',
    'Show the usage of each resource this month.',
    { contract, ...utilizationArguments },
    utilization('/{contract}/utilization'),
  ),
  tool(
    'list_billing_utilization_by_period',
    'Show the usage of each resource in a month.',
    { contract, period, ...utilizationArguments },
    utilization('/{contract}/utilization/{period}'),
  ),
  tool(
    'get_billing_utilization_daily',
    'Show the usage of each resource on a day.',
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
    "Show this month's cost so far by product, highest first, and the current cost per hour.",
    { contract },
    async (args, context) => {
      const { products: all, ...answer } = await get(context, '/{contract}/cost', args);
      return { ...answer, products: dearestFirst(listOf(all)) };
    },
  ),
  tool(
    'get_billing_focus_spec',
    'Show how the billing data maps to the columns of FOCUS 1.3, the open specification of cost and usage.',
    {},
    async () => focusMapping,
  ),
];

// A page of items: a month has an item for each period in which a resource had another size.
function evn(path: string): (args: Values, context: ToolContext) => Promise<Json> {
  return async (args, context) => {
    const { metadata = null, datacenters } = await get(context, path, monthOf(args));
    const items = listOf(datacenters)
      .map(({ vdcUUID = '', name = '', data = [] }) => ({ id: vdcUUID, name, data }))
      .filter((one) => wanted(args, one))
      .flatMap(({ id: own, name, data }) => listOf(data).map((item) => ({ own, name, item })));
    const offset = numberOf(args, 'offset', 0);
    const page = items.slice(offset, offset + numberOf(args, 'limit', maxItems));
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

function traffic(path: string): (args: Values, context: ToolContext) => Promise<Json> {
  return async (args, context) => {
    const ip = textOf(args, 'ip');
    const query = { output: 'object', ...(ip !== undefined && { ip }) };
    const { trafficObj, metadata = null } = await get(context, path, monthOf(args), query);
    return { metadata, trafficObj: trafficObj ?? {} };
  };
}

function usage(answer: Values, args: Values): Values {
  const datacenters = listOf(answer.datacenters)
    .filter((one) => wanted(args, one))
    .map(({ meters, ...rest }) => ({
      ...rest,
      meters: listOf(meters).filter((meter) => args.include_zero === true || quantityOf(meter) !== 0),
    }));
  return { ...answer, datacenters };
}

const dearestFirst = (lines: readonly Values[]): Values[] =>
  lines.toSorted((a, b) => quantityIn(b.amount) - quantityIn(a.amount));

const sortedInvoice = (invoice: Values): Values => ({
  ...invoice,
  datacenters: listOf(invoice.datacenters).map((one) => ({ ...one, meters: dearestFirst(listOf(one.meters)) })),
});

async function products(args: Values, context: ToolContext): Promise<Json> {
  const answer = await get(context, '/{contract}/products', args);
  const filter = textOf(args, 'filter') ?? '';
  const word = filter.toLowerCase();
  const found = listOf(answer.products).filter(({ meterId, meterDesc, productGroup }) =>
    [meterId, meterDesc, productGroup].some((one) => String(one).toLowerCase().includes(word)),
  );
  const { metadata = null, liability = null } = answer;
  return { metadata, liability, appliedFilter: filter, matchCount: found.length, products: found };
}
