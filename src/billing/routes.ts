// The operations of the billing API, with what their documents say.
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
const dateFormatQuery = query('dateformat', 'Is accepted and has no effect: dates are YYYY-MM-DD');
const filters = [
  query('dc', 'Of this datacenter only'),
  query('resource', 'Of the resource with this id only'),
  query('type', 'Of resources of this type only, such as SERVER'),
];
const trafficQueries = [
  query('ip', 'Of this address only'),
  query('output', 'Which form; all by default', { type: 'string', enum: trafficOutputs }),
];

const times = [
  pathParameter('period', 'The month, YYYY-MM', '2026-01'),
  pathParameter('date', 'The day, YYYY-MM-DD', '2026-01-31'),
];

// A month or a day in the path may be none, and is refused then.
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
    get('/intern/ping', 'billing_ping', 'Whether the service answers', 'ping', { open: true, unaudited: true }),
    get('/profile', 'billing_profile', 'The contracts whose bills the caller may see', 'profile', {
      replySchema: always({ companies: listOf(metadataSchema) }),
    }),
    get(
      '/invoices/{period}',
      'invoice_list_month',
      'Invoices of a month, of all contracts of the caller',
      'invoicesOfMonth',
      {
        parameters: [query('contractid', 'Of this contract only'), dateFormatQuery],
        replySchema: listOf(invoiceSchema),
      },
    ),
    get('/{contractNumber}/evn', 'evn_get', 'What was used this month, item by item', 'evn', {
      replySchema: evnSchema,
    }),
    get('/{contractNumber}/evn/{period}', 'evn_get_month', 'What was used in a month, item by item', 'evn', {
      replySchema: evnSchema,
    }),
    get(
      '/{contractNumber}/invoices',
      'invoice_list',
      'All invoices, newest first; the current month is preliminary',
      'invoices',
      {
        replySchema: always({ metadata: metadataSchema, invoices: listOf(summarySchema) }),
      },
    ),
    get('/{contractNumber}/invoices/{invoiceId}', 'invoice_get', 'One invoice', 'invoice', {
      parameters: [dateFormatQuery],
      replySchema: invoiceSchema,
    }),
    get('/{contractNumber}/products', 'billing_products', 'The price list', 'products', {
      parameters: [query('date', 'The day of the prices, YYYY-MM-DD', { type: 'string', format: 'date' })],
      replySchema: always({ metadata: metadataSchema, liability: textSchema, products: listOf({ type: 'object' }) }),
    }),
    get(
      '/{contractNumber}/cost',
      'billing_cost',
      "This month's cost by product, and the running rate per hour",
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
    get('/{contractNumber}/traffic', 'traffic_get', "This month's traffic with the internet", 'traffic', {
      parameters: trafficQueries,
      replySchema: trafficSchema,
    }),
    get('/{contractNumber}/traffic/{period}', 'traffic_get_month', "A month's traffic with the internet", 'traffic', {
      parameters: trafficQueries,
      replySchema: trafficSchema,
    }),
    get('/{contractNumber}/usage', 'usage_get', 'What was used in a month, by datacenter and meter', 'usage', {
      parameters: [periodQuery],
      replySchema: usageSchema,
    }),
    get(
      '/{contractNumber}/usage/{datacenterId}',
      'usage_get_datacenter',
      'What one datacenter used in a month',
      'usage',
      {
        parameters: [periodQuery],
        replySchema: usageSchema,
      },
    ),
    get('/{contractNumber}/utilization', 'utilization_get', 'What each resource used this month', 'utilization', {
      parameters: filters,
      replySchema: usageSchema,
    }),
    get(
      '/{contractNumber}/utilization/{period}',
      'utilization_get_month',
      'What each resource used in a month',
      'utilization',
      {
        parameters: filters,
        replySchema: usageSchema,
      },
    ),
    get(
      '/{contractNumber}/utilization/daily/{date}',
      'utilization_get_day',
      'What each resource used on a day',
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
