// The declaration of billing.
import type { Declaration } from '../surface/product.ts';
import { type BillingSettings, billingSettings } from './settings.ts';

export const billing: Declaration<BillingSettings> = {
  name: 'billing',
  labels: { billing: 'Billing' },
  settings: billingSettings,
  open: async (context, ports, settings) => (await import('./product.ts')).openBilling(context, ports, settings),
};
