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

export interface UsedMeter {
  resourceId: string;
  name: string;
  type: string; // SERVER, STORAGE …
  meterId: string;
  meterDesc: string;
  exists: boolean;
  quantity: { quantity: number; unit: string };
}

export interface Utilization {
  startDate: string;
  datacenters: { id: string; name: string; meters: UsedMeter[] }[];
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

export interface Label {
  key: string;
  value: string;
  resourceId: string;
}

const get = <T>(path: string, signal?: AbortSignal): Promise<T> =>
  call<T>('GET', `/billing/${scope.contract}${path}`, signal && { signal });

export const readPrices = async (signal?: AbortSignal): Promise<Price[]> =>
  (await get<{ products: Price[] }>('/products', signal)).products;
export const readCost = (signal: AbortSignal): Promise<Cost> => get('/cost', signal);
export const readDay = (date: string, signal: AbortSignal): Promise<Utilization> =>
  get(`/utilization/daily/${date}`, signal);
export const readMonth = (period: string, signal: AbortSignal): Promise<Utilization> =>
  get(`/utilization/${period}`, signal);
export const readInvoice = (id: string, signal: AbortSignal): Promise<Invoice> => get(`/invoices/${id}`, signal);
export const readInvoices = async (signal: AbortSignal): Promise<InvoiceSummary[]> =>
  (await get<{ invoices: InvoiceSummary[] }>('/invoices', signal)).invoices;

// All labels of the contract.
export const readLabels = async (signal: AbortSignal): Promise<Label[]> =>
  (await call<{ items: { properties: Label }[] }>('GET', '/cloudapi/v6/labels?depth=1', { signal })).items.map(
    ({ properties }) => properties,
  );
