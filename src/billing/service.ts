// The billing API: read-only, for owners and administrators of a contract.
import { Fault } from '../base/fault.ts';
import type { Values } from '../base/json.ts';
import { type Caller, isAdmin } from '../core/access.ts';
import { missingResource } from '../core/missing-resource.ts';
import type { Store } from '../core/store.ts';
import { type Exchange, json, type Reply, type Service } from '../surface/http/exchange.ts';
import { renderPlatformFault } from '../surface/http/payload.ts';
import { billOf } from './bill.ts';
import { closedInvoices, findInvoice } from './invoices/closing.ts';
import { monthOfInvoice } from './invoices/invoice.ts';
import { type Ledger, readLedger } from './ledger/ledger.ts';
import { dayOf, monthAt, monthOf, type Period } from './period.ts';
import type { PriceList } from './prices/price-list.ts';
import { costReport } from './reports/cost.ts';
import { evnReport } from './reports/evn.ts';
import { productsReport } from './reports/products.ts';
import { trafficReport } from './reports/traffic.ts';
import { usageReport } from './reports/usage.ts';
import { utilizationReport } from './reports/utilization.ts';
import { type BillingCalls, billingRoutes } from './routes.ts';

export interface BillingTools {
  store: Store;
  prices: PriceList;
  now(): number;
  asMember(user: string, contract: number): Promise<Caller>; // throws a Fault if the user is not a member
}

export const billingService = (tools: BillingTools): Service => ({
  name: 'billing',
  title: 'Billing',
  description: 'Usage to the minute, its cost, and the invoices of closed months. Read-only.',
  prefixes: ['/billing'],
  hosts: ['api'],
  takesBasic: true,
  routes: billingRoutes(callsOf(tools)),
  renderFault: (fault) => renderPlatformFault(fault),
});

function callsOf(tools: BillingTools): BillingCalls {
  const { store, prices, now } = tools;
  const month = (text: string | null | undefined): Period => (text ? monthOf(text) : monthAt(now()));
  const ledgerOf = (contract: number, { from, to }: Period): Promise<Ledger> =>
    readLedger(store, contract, { from, to: Math.max(from, Math.min(to, now())) });
  const withLedger = async (x: Exchange, period: Period, show: Show): Promise<Reply> => {
    const contract = await contractOf(x, tools);
    return json(200, show(await ledgerOf(contract, period), metadataOf(contract), contract));
  };
  const utilization = (x: Exchange, period: Period): Promise<Reply> =>
    withLedger(x, period, (ledger, metadata) => {
      const filter = { dc: x.search.get('dc'), resource: x.search.get('resource'), type: x.search.get('type') };
      return utilizationReport(period, ledger, prices, filter, metadata);
    });
  const invoiceOfMonth = (contract: number, period: Period): Promise<Values | undefined> =>
    findInvoice(store, contract, period, prices, now());
  return {
    ping: () => ({ status: 200 }),
    profile: (x) => profile(x, tools),
    evn: (x) => {
      const period = month(x.params[1]);
      return withLedger(x, period, (ledger, metadata, contract) =>
        evnReport(contract, ledger, prices, { ...metadata, period: period.name }),
      );
    },
    usage: (x) => {
      const period = month(x.search.get('period'));
      const wanted = x.params[1];
      return withLedger(x, period, (ledger, metadata) => {
        const parts = billOf(ledger, prices).filter(({ id }) => wanted === undefined || id === wanted);
        return usageReport(period, parts, metadata);
      });
    },
    utilization: (x) => utilization(x, month(x.params[1])),
    utilizationOfDay: (x) => utilization(x, dayOf(x.params[1] ?? '')),
    traffic: (x) => {
      const period = month(x.params[1]);
      return withLedger(x, period, (ledger, metadata) => {
        const output = x.search.get('output') ?? 'all';
        const reportMetadata = { ...metadata, period: period.name, unit: 'Byte' };
        return trafficReport(ledger, x.search.get('ip'), output, reportMetadata);
      });
    },
    cost: (x) => {
      const period = monthAt(now());
      return withLedger(x, period, (ledger, metadata) =>
        costReport(ledger, billOf(ledger, prices), prices, { ...metadata, period: period.name }),
      );
    },
    products: async (x) => {
      const contract = await contractOf(x, tools);
      const date = x.search.get('date');
      if (date) dayOf(date);
      return json(200, productsReport(prices, metadataOf(contract)));
    },
    invoices: async (x) => {
      const contract = await contractOf(x, tools);
      const listed = await closedInvoices(store, contract);
      const current = await invoiceOfMonth(contract, monthAt(now()));
      if (current) listed.push(current);
      return json(200, { metadata: metadataOf(contract), invoices: listed.toReversed().map(summaryOf) });
    },
    invoice: async (x) => {
      const contract = await contractOf(x, tools);
      const name = monthOfInvoice(contract, x.params[1] ?? '');
      const found = name && (await invoiceOfMonth(contract, monthOf(name)));
      if (!found) throw missingResource({ name: 'invoice' }, x.params[1] ?? '');
      return json(200, found);
    },
    invoicesOfMonth: async (x) => {
      const period = monthOf(x.params[0] ?? '');
      const wanted = x.search.get('contractid');
      const found: Values[] = [];
      for (const contract of await billedContracts(x, tools)) {
        if (wanted && wanted !== String(contract)) continue;
        const invoice = await invoiceOfMonth(contract, period);
        if (invoice) found.push(invoice);
      }
      return json(200, found);
    },
  };
}

type Show = (ledger: Ledger, metadata: Values, contract: number) => Values;

const metadataOf = (contract: number): Values => ({
  contractId: String(contract),
  customerId: String(contract),
  reference: null,
});

function summaryOf({ metadata, total }: Values): Values {
  const { invoiceId, endDate } = metadata as Values;
  const { quantity, unit } = total as Values;
  return { id: invoiceId ?? '', date: endDate ?? '', amount: quantity ?? 0, unit: unit ?? '' };
}

// The contract of the path, which the caller must administer.
export async function contractOf(x: Exchange, tools: BillingTools): Promise<number> {
  const requested = x.params[0] ?? '';
  if (!/^\d{5,10}$/.test(requested))
    throw new Fault('refused', `'${requested.slice(0, 20)}' is not a valid contract number.`);
  const contract = x.who.contracts.find((one) => String(one) === requested);
  if (contract === undefined || !isAdmin(await memberOf(x.who, contract, tools)))
    throw new Fault('forbidden', `You may not see the bills of the contract ${requested}.`);
  return contract;
}

async function billedContracts(x: Exchange, tools: BillingTools): Promise<number[]> {
  const billed: number[] = [];
  for (const contract of x.who.contracts) if (isAdmin(await memberOf(x.who, contract, tools))) billed.push(contract);
  if (billed.length === 0) throw new Fault('forbidden', 'Only owners and administrators may see bills.');
  return billed;
}

const memberOf = async (caller: Caller, contract: number, { asMember }: BillingTools): Promise<Caller> =>
  contract === caller.contract ? caller : asMember(caller.user, contract);

async function profile(x: Exchange, tools: BillingTools): Promise<Reply> {
  return json(200, { companies: (await billedContracts(x, tools)).map(metadataOf) });
}
