// Closes months: the invoice of an ended month is written once, with the resources that run into the next month, and
// never changes afterwards. It waits a few minutes for changes that were under way when the month ended.
import type { Values } from '../../base/json.ts';
import { type Row, rowOf } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import { billOf } from '../bill.ts';
import { firstUse, readLedger } from '../ledger/ledger.ts';
import { openingWrites } from '../ledger/opening.ts';
import { minuteMs, monthAfter, monthAt, monthOf, type Period } from '../period.ts';
import type { PriceList } from '../prices/price-list.ts';
import { invoiceOf } from './invoice.ts';

const invoicePlace = 'invoice';
const graceMs = 5 * minuteMs;

export async function closeMonths(store: Store, contract: number, prices: PriceList, now: number): Promise<void> {
  const last = await lastClosed(store, contract);
  const first = last ? undefined : await firstUse(store, contract);
  if (!last && first === undefined) return;
  let month = last ? monthAfter(monthOf(last.id)) : monthAt(first ?? 0);
  for (; month.to + graceMs <= now; month = monthAfter(month)) await closeMonth(store, contract, prices, month, now);
}

async function closeMonth(
  store: Store,
  contract: number,
  prices: PriceList,
  month: Period,
  now: number,
): Promise<void> {
  const ledger = await readLedger(store, contract, month);
  const invoice = invoiceOf(contract, month, billOf(ledger, prices), prices, now, true);
  const body = JSON.stringify(invoice);
  const row = rowOf({ contract, place: invoicePlace, id: month.name, kind: 'invoice', time: now, body });
  const outcome = await store.apply([
    { op: 'insert', table: 'usage', row },
    ...openingWrites(contract, month.to, [...ledger.running.values()]),
  ]);
  // Another node was faster.
  if (!outcome.ok && outcome.why !== 'exists') throw new Error(`the invoice of ${month.name} failed: ${outcome.why}`);
}

async function lastClosed(store: Store, contract: number): Promise<Row | undefined> {
  return (await store.range({ contract, place: invoicePlace, limit: 1, reverse: true }, 'usage'))[0];
}

// The closed invoice, or a preliminary one. Undefined: the contract had no usage in or before that month.
export async function findInvoice(
  store: Store,
  contract: number,
  month: Period,
  prices: PriceList,
  now: number,
): Promise<Values | undefined> {
  const closed = await store.get(contract, invoicePlace, month.name, 'usage');
  if (closed) return JSON.parse(closed.body) as Values;
  const first = await firstUse(store, contract);
  if (first === undefined || first >= month.to || month.from > now) return undefined;
  const ledger = await readLedger(store, contract, { from: month.from, to: Math.min(month.to, now) });
  return invoiceOf(contract, month, billOf(ledger, prices), prices, now, false);
}

export async function closedInvoices(store: Store, contract: number): Promise<Values[]> {
  const invoices: Values[] = [];
  for await (const row of store.each({ contract, place: invoicePlace }, 'usage'))
    invoices.push(JSON.parse(row.body) as Values);
  return invoices;
}
