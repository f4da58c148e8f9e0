// The declaration of billing.
import type { Declaration } from '../surface/product.ts';
import { type BillingSettings, billingSettings } from './settings.ts';

export const billing: Declaration<BillingSettings> = {
  name: 'billing',
  labels: { billing: 'Billing' },
  settings: billingSettings,
  commands: [
    {
      name: 'cost',
      says: "show this month's cost",
      load: async () => (await import('./cost-commands.ts')).cost,
    },
    {
      name: 'cost estimate',
      says: 'show what a Terraform plan would cost',
      load: async () => (await import('./cost-commands.ts')).estimate,
    },
  ],
  open: async (context, ports, settings) => (await import('./product.ts')).openBilling(context, ports, settings),
};
