// VM auto scaling.
import type { Declaration } from '../surface/product.ts';

export const autoscaling: Declaration = {
  name: 'autoscaling',
  labels: { autoscaling: 'Scaling' },
  resources: async () => (await import('./index.ts')).autoscalingResources,
  open: async (context, ports) => (await import('./product.ts')).openAutoscaling(context, ports),
};
