// The usage of a month by datacenter and meter.
import { decimalText } from '../../base/decimal.ts';
import type { Values } from '../../base/json.ts';
import { type Part, quantityOfLine } from '../bill.ts';
import { dateText, type Period } from '../period.ts';

export const usageReport = (month: Period, parts: readonly Part[], metadata: Values): Values => ({
  metadata,
  startDate: dateText(month.from),
  endDate: dateText(month.to - 1),
  datacenters: parts.map(({ id, name, location, lines }) => ({
    id,
    name,
    location,
    meters: lines.map((line) => ({
      meterId: line.price.meterId,
      meterDesc: line.price.description,
      quantity: { quantity: decimalText(quantityOfLine(line), 10), unit: line.price.unit },
    })),
  })),
});
