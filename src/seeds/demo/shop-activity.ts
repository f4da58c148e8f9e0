// The activity of the demo shop's customers: figures, log lines, orders and loads at a time. Every value follows from
// the time, so that a chart looks the same after a restart. Payments fail for four of every twenty minutes.
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const cycleMs = 20 * minuteMs;
const incident = { fromMs: 8 * minuteMs, toMs: 12 * minuteMs };

export const isIncident = (at: number): boolean => at % cycleMs >= incident.fromMs && at % cycleMs < incident.toMs;

// Between 0 and 1, different for each time and each salt.
function noise(at: number, salt: number): number {
  const value = Math.sin((at / 1000) * 12.9898 + salt * 78.233) * 43_758.5453;
  return value - Math.floor(value);
}

const wave = (at: number, periodMs: number): number => Math.sin((2 * Math.PI * at) / periodMs);

// Requests per second.
export const trafficAt = (at: number): number =>
  14 + 6 * wave(at, hourMs) + 3 * wave(at, 11 * minuteMs) + 3 * noise(at, 1);

// The CPU of a server in percent; `salt` makes servers differ.
export const cpuAt = (at: number, salt: number): number =>
  Math.round(Math.min(95, 12 + 2.2 * trafficAt(at) + 10 * wave(at + salt * 3 * minuteMs, 9 * minuteMs) + 2 * salt));

// The CPU of all workers together: one is too few at the top of the wave, and three are too many at the bottom.
export const workersCpuAt = (at: number): number => Math.round(110 + 90 * wave(at, 30 * minuteMs));

export interface Series {
  labels: { readonly [name: string]: string };
  value: number;
}

export interface Metadata {
  metricFamilyName: string;
  type: 'COUNTER' | 'GAUGE' | 'HISTOGRAM';
  help: string;
}

export const metadata: readonly Metadata[] = [
  { metricFamilyName: 'shop_http_requests_total', type: 'COUNTER', help: 'Requests by service and status.' },
  { metricFamilyName: 'shop_http_request_duration_seconds', type: 'HISTOGRAM', help: 'Duration of requests.' },
  { metricFamilyName: 'shop_orders_total', type: 'COUNTER', help: 'Orders that customers placed.' },
  { metricFamilyName: 'shop_revenue_euros_total', type: 'COUNTER', help: 'Value of all orders.' },
  { metricFamilyName: 'shop_visitors', type: 'GAUGE', help: 'Customers with an open session.' },
  { metricFamilyName: 'shop_stock_items', type: 'GAUGE', help: 'Items in stock.' },
];

const services = [
  { name: 'web', share: 1, failing: 0.002, slowness: 1 },
  { name: 'search', share: 0.4, failing: 0.001, slowness: 1.6 },
  { name: 'cart', share: 0.25, failing: 0.001, slowness: 0.8 },
  { name: 'payment', share: 0.08, failing: 0.004, slowness: 2.5 },
] as const;
const bounds = [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];
const items = ['tea', 'coffee', 'mug', 'kettle'] as const;
const prices: Record<(typeof items)[number], number> = { tea: 6.5, coffee: 9.9, mug: 12, kettle: 39 };
const orderShare = 0.04; // of requests

const failingAt = (at: number, { name, failing }: (typeof services)[number]): number =>
  name === 'payment' && isIncident(at) ? 0.22 : failing;

// The counters from a moment on.
export class ShopFigures {
  readonly #counters = new Map<string, Series>();
  #at: number;

  constructor(at: number) {
    this.#at = at;
  }

  // All series at a later time.
  until(at: number): Series[] {
    const seconds = (at - this.#at) / 1000;
    this.#at = at;
    const traffic = trafficAt(at) * seconds;
    for (const service of services) this.#serve(service, traffic * service.share, at);
    const orders = traffic * orderShare;
    this.#add({ __name__: 'shop_orders_total' }, orders);
    this.#add({ __name__: 'shop_revenue_euros_total' }, orders * (18 + 6 * noise(at, 2)));
    return [...this.#counters.values(), ...gaugesAt(at)];
  }

  #serve(service: (typeof services)[number], requests: number, at: number): void {
    const { name, slowness } = service;
    const failed = requests * failingAt(at, service);
    const total = (status: string) => ({ __name__: 'shop_http_requests_total', service: name, status });
    this.#add(total('200'), requests - failed);
    this.#add(total('500'), failed);
    const meanS = 0.06 * slowness * (name === 'payment' && isIncident(at) ? 6 : 1) * (0.8 + 0.4 * noise(at, 3));
    const family = 'shop_http_request_duration_seconds';
    for (const bound of [...bounds, Number.POSITIVE_INFINITY]) {
      const le = bound === Number.POSITIVE_INFINITY ? '+Inf' : String(bound);
      this.#add({ __name__: `${family}_bucket`, service: name, le }, requests * (1 - Math.exp(-bound / meanS)));
    }
    this.#add({ __name__: `${family}_sum`, service: name }, requests * meanS);
    this.#add({ __name__: `${family}_count`, service: name }, requests);
  }

  #add(labels: Series['labels'], value: number): void {
    const key = JSON.stringify(labels);
    this.#counters.set(key, { labels, value: (this.#counters.get(key)?.value ?? 0) + value });
  }
}

function gaugesAt(at: number): Series[] {
  const visitors = { labels: { __name__: 'shop_visitors' }, value: Math.round(9 * trafficAt(at)) };
  const stock = items.map((item, index) => ({
    labels: { __name__: 'shop_stock_items', item },
    value: Math.round(400 - (((at / minuteMs) * (index + 1)) % 380)), // sold, and delivered when it is almost empty
  }));
  return [visitors, ...stock];
}

const pages = ['/', '/search?q=tea', '/items/mug', '/items/kettle', '/cart', '/checkout'];

// One line of the shop's log.
export function lineAt(at: number): { [name: string]: string | number } {
  const which = noise(at, 5);
  const line = { date: new Date(at).toISOString(), durationMs: Math.round(20 + 180 * noise(at, 6)) };
  if (isIncident(at) && which < 0.3) {
    const message = 'payment refused: the provider did not answer';
    return { ...line, level: 'error', service: 'payment', message, status: 502, order: orderNumber(at) };
  }
  if (which < 0.06) return { ...line, level: 'warn', service: 'search', message: 'slow query', status: 200 };
  if (which > 0.9)
    return { ...line, level: 'info', service: 'cart', message: 'order placed', order: orderNumber(at), status: 201 };
  const path = pages[Math.floor(noise(at, 7) * pages.length)] ?? '/';
  return { ...line, level: 'info', service: 'web', message: `GET ${path}`, path, status: 200 };
}

const orderNumber = (at: number): string => `A${Math.floor(at / 1000) % 1_000_000}`;

export interface Order {
  order: string;
  customer: string;
  item: string;
  quantity: number;
  total: number;
  placedAt: string;
}

export function orderAt(at: number): Order {
  const item = items[Math.floor(noise(at, 8) * items.length)] ?? 'tea';
  const quantity = 1 + Math.floor(3 * noise(at, 9));
  return {
    order: orderNumber(at),
    customer: `customer-${1 + Math.floor(200 * noise(at, 10))}`,
    item,
    quantity,
    total: Number((quantity * prices[item]).toFixed(2)),
    placedAt: new Date(at).toISOString(),
  };
}

// A customer's address, of a range for documentation.
export const visitorAt = (at: number): string => `203.0.113.${1 + Math.floor(250 * noise(at, 11))}`;
