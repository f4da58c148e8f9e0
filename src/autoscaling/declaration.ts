// VM auto scaling.
import type { Declaration } from '../surface/product.ts';

export const autoscaling: Declaration = {
  name: 'autoscaling',
  labels: { autoscaling: 'Scaling' },
  clientEndpoints: [{ name: 'vmautoscaling', path: '/autoscaling', host: 'api' }],
  resources: async () => (await import('./index.ts')).autoscalingResources,
  open: async (context, ports) => (await import('./product.ts')).openAutoscaling(context, ports),
};
