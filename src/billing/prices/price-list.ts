// The price list: the price of each meter, from price-list.json or a file that replaces it.
import { readFileSync } from 'node:fs';
import { type Fraction, fractionOf, times } from '../../base/decimal.ts';
import { Fault } from '../../base/fault.ts';
import { fileError } from '../../base/file-error.ts';
import { isObject, type Json, parseJson, type Values } from '../../base/json.ts';
import builtIn from './price-list.json' with { type: 'json' };
import { resourceTypes } from './resource-types.ts';

export interface Price {
  meterId: string; // C04000
  description: string;
  productGroup: string;
  resourceType: string; // one of the platform's
  kind: string; // of the resource …
  meters: string[]; // … and the name of the amount in its marks or entries
  unit: string; // 1G*30Days
  perMinutes: number | null; // null: it is consumed, and time doesn't matter
  perAmount: number; // 1024: the amount is in MB, the price per GB
  price: string; // of one unit
}

export class PriceList {
  readonly currency: string;
  readonly prices: readonly Price[];
  readonly #byMeter = new Map<string, Price>();

  constructor(currency: string, prices: readonly Price[]) {
    this.currency = currency;
    this.prices = prices;
    for (const price of prices) for (const meter of price.meters) this.#byMeter.set(`${price.kind} ${meter}`, price);
  }

  // Undefined: it is free and not on bills.
  find(kind: string, meter: string): Price | undefined {
    return this.#byMeter.get(`${kind} ${meter}`);
  }
}

// In units of the price: a sum of amount · minutes, or of consumed amounts.
export const quantityOf = (price: Price, sum: bigint): Fraction => ({
  over: sum,
  under: BigInt(price.perAmount) * BigInt(price.perMinutes ?? 1),
});

export const costOf = (price: Price, sum: bigint): Fraction => times(quantityOf(price, sum), fractionOf(price.price));

export function loadPrices(file: string | undefined): PriceList {
  if (file === undefined) return priceListOf(builtIn as Json);
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    throw new Fault('refused', `The price list ${file} can't be read: ${fileError(error)}.`);
  }
  try {
    return priceListOf(parseJson(bytes));
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    throw new Fault('refused', `The price list ${file}: ${error.message}`);
  }
}

function priceListOf(json: Json): PriceList {
  if (!isObject(json) || !Array.isArray(json.meters)) throw new Fault('refused', 'The list "meters" is missing.');
  const { currency = 'EUR' } = json;
  if (typeof currency !== 'string') throw new Fault('refused', '"currency" must be a text.');
  const prices = json.meters.map(priceOf);
  const seen = new Set<string>();
  for (const { meterId, kind, meters } of prices)
    for (const name of [meterId, ...meters.map((meter) => `${kind} ${meter}`)]) {
      if (seen.has(name)) throw new Fault('refused', `"${name}" occurs twice.`);
      seen.add(name);
    }
  return new PriceList(currency, prices);
}

function priceOf(sent: Json, at: number): Price {
  const wrong = (expected: string): Fault => new Fault('refused', `meters[${at}]: expected ${expected}.`);
  if (!isObject(sent)) throw wrong('an object');
  const text = (name: string): string => {
    const value = sent[name];
    if (typeof value !== 'string' || value === '') throw wrong(`a text "${name}"`);
    return value;
  };
  const resourceType = text('resourceType');
  if (!resourceTypes.includes(resourceType)) throw wrong(`"resourceType" to be one of ${resourceTypes.join(', ')}`);
  const price: Price = {
    meterId: text('meterId'),
    description: text('description'),
    productGroup: text('productGroup'),
    resourceType,
    kind: text('kind'),
    meters: textsOf(sent, wrong),
    unit: text('unit'),
    perMinutes: sent.perMinutes === null ? null : whole(sent, 'perMinutes', wrong),
    perAmount: whole(sent, 'perAmount', wrong),
    price: text('price'),
  };
  fractionOf(price.price);
  return price;
}

function whole(sent: Values, name: string, wrong: (expected: string) => Fault): number {
  const value = sent[name];
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 1)
    throw wrong(`"${name}" to be a whole number from 1`);
  return value;
}

function textsOf({ meters }: Values, wrong: (expected: string) => Fault): string[] {
  if (!Array.isArray(meters) || meters.length === 0 || !meters.every((one) => typeof one === 'string'))
    throw wrong('a list of texts "meters"');
  return meters as string[];
}
