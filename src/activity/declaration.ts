// The declaration of the activity log.
import type { Declaration } from '../surface/product.ts';

export const activity: Declaration = {
  name: 'activity',
  labels: { activitylog: 'Activity' },
  open: async (context, ports) => (await import('./product.ts')).openActivity(context, ports),
};
