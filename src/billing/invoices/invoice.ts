// The invoice of a month in the form of the API. Once the month is closed it is stored unchanged, including prices.
import { decimalText, fixedText } from '../../base/decimal.ts';
import type { Values } from '../../base/json.ts';
import { centsOf, type Line, type Part, quantityOfLine } from '../bill.ts';
import { dateText, type Period } from '../period.ts';
import type { PriceList } from '../prices/price-list.ts';

export const invoiceId = (contract: number, month: string): string => `CU${contract}-${month.replace('-', '')}`;

// Undefined: no invoice of this contract has this id.
export function monthOfInvoice(contract: number, id: string): string | undefined {
  const match = /^CU(\d+)-(\d{4})(0[1-9]|1[0-2])$/.exec(id);
  return match && match[1] === String(contract) ? `${match[2]}-${match[3]}` : undefined;
}

export function invoiceOf(
  contract: number,
  month: Period,
  parts: readonly Part[],
  { currency }: PriceList,
  now: number,
  isFinal: boolean,
): Values {
  const totalCents = parts.flatMap(({ lines }) => lines).reduce((sum, line) => sum + centsOf(line), 0n);
  return {
    metadata: {
      invoiceId: invoiceId(contract, month.name),
      contractId: String(contract),
      customerId: String(contract),
      createdDate: dateText(now),
      startDate: dateText(month.from),
      endDate: dateText(month.to - 1),
      postingPeriod: month.name,
      finallyPosted: isFinal,
      reference: null,
      resellerRef: null,
    },
    datacenters: parts.map(({ id, name, location, lines }) => ({
      id,
      name,
      location,
      productGroup: null,
      meters: lines.map((line) => meterOf(line, currency)),
      rebate: { amount: { quantity: 0, unit: currency } },
    })),
    total: { quantity: Number(fixedText(totalCents, 2)), unit: currency },
  };
}

function meterOf(line: Line, currency: string): Values {
  const { meterId, description, productGroup, unit, price } = line.price;
  return {
    meterId,
    meterDesc: description,
    productGroup,
    quantity: { quantity: Number(decimalText(quantityOfLine(line), 10)), unit },
    rate: { quantity: Number(price), unit: currency },
    amount: { quantity: Number(fixedText(centsOf(line), 2)), unit: currency },
  };
}
