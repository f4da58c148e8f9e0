// The operations of the billing API, with their descriptions.
import type { Values } from '../base/json.ts';
import { always, pathParameter, textSchema, timeSchema, wholeSchema } from '../surface/docs/openapi.ts';
import type { Exchange, Parameter, Reply, Route } from '../surface/http/exchange.ts';
import { trafficOutputs } from './reports/traffic.ts';

type Call = (x: Exchange) => Promise<Reply> | Reply;
type Name =
  | 'ping'
  | 'profile'
  | 'evn'
  | 'usage'
  | 'utilization'
  | 'utilizationOfDay'
  | 'traffic'
  | 'cost'
  | 'products'
  | 'invoices'
  | 'invoice'
  | 'invoicesOfMonth';
export type BillingCalls = Readonly<Record<Name, Call>>;

const query = (name: string, description: string, schema: Values = textSchema): Parameter => ({
  name,
  in: 'query',
  description,
  schema,
});

const periodQuery = query('period', 'The month, YYYY-MM; this month by default', {
  type: 'string',
  pattern: '^\\d{4}-\\d\\d$',
});
const dateFormatQuery = query('dateformat', 'Accepted without effect; dates are always YYYY-MM-DD');
const filters = [
  query('dc', 'Only this datacenter'),
  query('resource', 'Only the resource with this id'),
  query('type', 'Only resources of this type, such as SERVER'),
];
const trafficQueries = [
  query('ip', 'Only this address'),
  query('output', 'The output format; all by default', { type: 'string', enum: trafficOutputs }),
];

const times = [
  pathParameter('period', 'The month, YYYY-MM', '2026-01'),
  pathParameter('date', 'The day, YYYY-MM-DD', '2026-01-31'),
];

// An invalid month or day in the path is refused later.
function timed(path: string, others: readonly Parameter[] = []): Partial<Route> {
  const named = times.filter(({ name }) => path.includes(`{${name}}`));
  return named.length === 0 ? {} : { parameters: [...named, ...others], mayRefuse: true };
}

export function billingRoutes(calls: BillingCalls): Route[] {
  const get = (path: string, operation: string, summary: string, name: Name, more: Partial<Route> = {}): Route => ({
    method: 'GET',
    path,
    operation,
    summary,
    call: calls[name],
    ...more,
    ...timed(path, more.parameters),
  });
  return [
    get('/intern/ping', 'billing_ping', 'Check that the service answers', 'ping', { open: true, unaudited: true }),
    get('/profile', 'billing_profile', 'List the contracts whose bills the caller may see', 'profile', {
      replySchema: always({ companies: listOf(metadataSchema) }),
    }),
    get(
      '/invoices/{period}',
      'invoice_list_month',
      'List the invoices of a month, of all contracts of the caller',
      'invoicesOfMonth',
      {
        parameters: [query('contractid', 'Only this contract'), dateFormatQuery],
        replySchema: listOf(invoiceSchema),
      },
    ),
    get('/{contractNumber}/evn', 'evn_get', 'Read the usage of this month, item by item', 'evn', {
      replySchema: evnSchema,
    }),
    get('/{contractNumber}/evn/{period}', 'evn_get_month', 'Read the usage of a month, item by item', 'evn', {
      replySchema: evnSchema,
    }),
    get(
      '/{contractNumber}/invoices',
      'invoice_list',
      'List all invoices, newest first; the current month is preliminary',
      'invoices',
      {
        replySchema: always({ metadata: metadataSchema, invoices: listOf(summarySchema) }),
      },
    ),
    get('/{contractNumber}/invoices/{invoiceId}', 'invoice_get', 'One invoice', 'invoice', {
      parameters: [dateFormatQuery],
      replySchema: invoiceSchema,
    }),
    get('/{contractNumber}/products', 'billing_products', 'Read the price list', 'products', {
      parameters: [query('date', 'The day of the prices, YYYY-MM-DD', { type: 'string', format: 'date' })],
      replySchema: always({ metadata: metadataSchema, liability: textSchema, products: listOf({ type: 'object' }) }),
    }),
    get(
      '/{contractNumber}/cost',
      'billing_cost',
      "Read this month's cost by product, and the current cost per hour",
      'cost',
      {
        replySchema: always({
          metadata: { type: 'object' },
          products: listOf({ type: 'object' }),
          total: moneySchema(textSchema),
          perHour: moneySchema(textSchema),
        }),
      },
    ),
    get('/{contractNumber}/traffic', 'traffic_get', "Read this month's traffic with the internet", 'traffic', {
      parameters: trafficQueries,
      replySchema: trafficSchema,
    }),
    get(
      '/{contractNumber}/traffic/{period}',
      'traffic_get_month',
      "Read a month's traffic with the internet",
      'traffic',
      {
        parameters: trafficQueries,
        replySchema: trafficSchema,
      },
    ),
    get('/{contractNumber}/usage', 'usage_get', 'Read the usage of a month, by datacenter and meter', 'usage', {
      parameters: [periodQuery],
      replySchema: usageSchema,
    }),
    get(
      '/{contractNumber}/usage/{datacenterId}',
      'usage_get_datacenter',
      'Read the usage of one datacenter in a month',
      'usage',
      {
        parameters: [periodQuery],
        replySchema: usageSchema,
      },
    ),
    get(
      '/{contractNumber}/utilization',
      'utilization_get',
      'Read the usage of each resource this month',
      'utilization',
      {
        parameters: filters,
        replySchema: usageSchema,
      },
    ),
    get(
      '/{contractNumber}/utilization/{period}',
      'utilization_get_month',
      'Read the usage of each resource in a month',
      'utilization',
      {
        parameters: filters,
        replySchema: usageSchema,
      },
    ),
    get(
      '/{contractNumber}/utilization/daily/{date}',
      'utilization_get_day',
      'Read the usage of each resource on a day',
      'utilizationOfDay',
      {
        parameters: filters,
        replySchema: usageSchema,
      },
    ),
  ];
}

const listOf = (items: Values): Values => ({ type: 'array', items });
const orNull = (type: string): Values => ({ type: [type, 'null'] });
const moneySchema = (quantity: Values): Values => always({ quantity, unit: textSchema });
const metadataSchema = always({ contractId: textSchema, customerId: textSchema, reference: orNull('string') });
const numberSchema: Values = { type: 'number' };
const summarySchema = always({ id: textSchema, date: textSchema, amount: orNull('number'), unit: orNull('string') });

const invoiceSchema = always({
  metadata: always({ invoiceId: textSchema, contractId: textSchema, finallyPosted: { type: 'boolean' } }),
  datacenters: listOf(
    always({
      id: textSchema,
      name: textSchema,
      location: textSchema,
      productGroup: orNull('string'),
      meters: listOf(
        always({
          meterId: textSchema,
          meterDesc: textSchema,
          productGroup: textSchema,
          quantity: moneySchema(numberSchema),
          rate: moneySchema(numberSchema),
          amount: moneySchema(numberSchema),
        }),
      ),
      rebate: { type: 'object' },
    }),
  ),
  total: moneySchema(numberSchema),
});

const evnEntrySchema = always({
  resourceType: textSchema,
  resourceUUID: textSchema,
  intervalMin: wholeSchema,
  intervalDivisor: wholeSchema,
  from: timeSchema,
  to: timeSchema,
  itemStub: textSchema,
  value: numberSchema,
  valueDivisor: wholeSchema,
  additionalParameters: textSchema,
});
const evnSchema = always({
  metadata: { type: 'object' },
  datacenters: listOf(always({ vdcUUID: textSchema, name: textSchema, data: listOf(evnEntrySchema) })),
  evnCSV: listOf(textSchema),
});

const usageSchema = always({
  metadata: metadataSchema,
  startDate: textSchema,
  endDate: textSchema,
  datacenters: listOf(always({ id: textSchema, name: textSchema, meters: listOf({ type: 'object' }) })),
});

const trafficSchema = always(
  { metadata: { type: 'object' } },
  { trafficObj: { type: 'object' }, trafficArr: listOf({ type: 'array' }), traffic: listOf(textSchema) },
);
