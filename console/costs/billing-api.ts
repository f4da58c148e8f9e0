// The billing API as the console uses it. It is open to owners and administrators of the contract.
import type { ListedPrice } from '../../src/core/metering/cost-estimate.ts';
import { call, scope } from '../api.ts';

export interface Money {
  quantity: string;
  unit: string;
}

export interface Price extends ListedPrice {
  productGroup: string;
  unit: string;
}

export interface Cost {
  metadata: { period: string }; // 2026-11
  products: { productGroup: string; amount: Money; perHour: Money }[];
  total: Money;
  perHour: Money;
}

export interface InvoiceSummary {
  id: string;
  date: string;
  amount: number | null;
  unit: string | null;
}

// The answer of the console's own route: the costs of a month, and those of a selection. Amounts have ten places.
export interface MonthCosts {
  currency: string;
  days: { date: string; products: Readonly<Record<string, string>>; total: string }[];
  labels: string[]; // the keys of all labels
  total: string; // of the selection
  groups?: { key: string; title: string; count: number; amount: string }[];
  resources: { count: number; rest: string; items: ResourceCost[] };
}

export interface ResourceCost {
  id: string;
  name: string;
  kind: string; // the name of the resource: server
  datacenter: { id: string; name: string };
  product: string;
  exists: boolean;
  amount: string;
  uses: Use[];
}

export interface Use {
  meter: string;
  unit: string;
  quantity: number;
}

// `day` and `product` select costs. `group` groups them, and `within` lists the resources of one group.
export interface CostsQuestion {
  month: string;
  day?: string;
  product?: string;
  group?: string;
  within?: string;
  limit?: number;
  offset?: number;
}

export interface Invoice {
  metadata: { invoiceId: string; finallyPosted: boolean };
  datacenters: {
    id: string;
    name: string;
    meters: {
      meterId: string;
      meterDesc: string;
      productGroup: string;
      quantity: { quantity: number; unit: string };
      rate: { quantity: number; unit: string };
      amount: { quantity: number; unit: string };
    }[];
  }[];
  total: { quantity: number; unit: string };
}

const get = <T>(path: string, signal?: AbortSignal): Promise<T> =>
  call<T>('GET', `/billing/${scope.contract}${path}`, signal && { signal });

export const readPrices = async (signal?: AbortSignal): Promise<Price[]> =>
  (await get<{ products: Price[] }>('/products', signal)).products;
export const readCost = (signal: AbortSignal): Promise<Cost> => get('/cost', signal);
export const readInvoice = (id: string, signal: AbortSignal): Promise<Invoice> => get(`/invoices/${id}`, signal);
export const readInvoices = async (signal: AbortSignal): Promise<InvoiceSummary[]> =>
  (await get<{ invoices: InvoiceSummary[] }>('/invoices', signal)).invoices;

export function readCosts({ month, ...query }: CostsQuestion, signal?: AbortSignal): Promise<MonthCosts> {
  const given = Object.entries(query).map(([name, value]) => [name, String(value)]);
  return call(
    'GET',
    `/console/month-costs/${scope.contract}/${month}?${new URLSearchParams(given)}`,
    signal && { signal },
  );
}
