// The settings of billing.
import { assign, type Section } from '../config/section.ts';
import { textOf } from '../config/setting-values.ts';

export interface BillingSettings {
  prices: string | undefined; // the file of the price list; absent: the built-in one
}

export const billingSettings: Section<BillingSettings> = {
  defaults: { prices: undefined },
  options: {
    prices: {
      takes: 'FILE',
      help: 'the price list of bills (meters, units, prices), instead of the built-in one',
      set: (values, text) => assign(values, { prices: textOf('prices', text, 'a file') }),
    },
  },
};
