// This month's cost by product, and the current cost per hour.
import { decimalText, type Fraction, fixedText, plus, zero } from '../../base/decimal.ts';
import type { Values } from '../../base/json.ts';
import { centsOf, type Part } from '../bill.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { costOf, type PriceList } from '../prices/price-list.ts';

const hourMinutes = 60n;

export function costReport(ledger: Ledger, parts: readonly Part[], prices: PriceList, metadata: Values): Values {
  const cents = new Map<string, bigint>();
  for (const line of parts.flatMap(({ lines }) => lines)) {
    const { productGroup } = line.price;
    cents.set(productGroup, (cents.get(productGroup) ?? 0n) + centsOf(line));
  }
  const rates = ratesOf(ledger, prices);
  const groups = [...new Set([...cents.keys(), ...rates.keys()])].sort();
  const money = (text: string): Values => ({ quantity: text, unit: prices.currency });
  const total = [...cents.values()].reduce((sum, one) => sum + one, 0n);
  return {
    metadata,
    products: groups.map((productGroup) => ({
      productGroup,
      amount: money(fixedText(cents.get(productGroup) ?? 0n, 2)),
      perHour: money(decimalText(rates.get(productGroup) ?? zero, 4, 4)),
    })),
    total: money(fixedText(total, 2)),
    perHour: money(decimalText([...rates.values()].reduce(plus, zero), 4, 4)),
  };
}

function ratesOf({ running }: Ledger, prices: PriceList): Map<string, Fraction> {
  const rates = new Map<string, Fraction>();
  for (const { kind, meters } of running.values()) {
    for (const [meter, amount] of Object.entries(meters)) {
      const price = prices.find(kind, meter);
      if (!price || price.perMinutes === null || amount <= 0) continue;
      const hourly = costOf(price, BigInt(Math.round(amount)) * hourMinutes);
      rates.set(price.productGroup, plus(rates.get(price.productGroup) ?? zero, hourly));
    }
  }
  return rates;
}
