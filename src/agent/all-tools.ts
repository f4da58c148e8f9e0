// All tools: those derived from resource declarations, and those written by hand.
import type { Resource } from '../core/resource.ts';
import { insightTools } from './insight/insight-tools.ts';
import { Toolbox } from './toolbox.ts';
import { activityTools } from './tools/activity.ts';
import { billingTools } from './tools/billing.ts';
import { computeTools } from './tools/compute.ts';
import { declaredTools } from './tools/declared-tools.ts';
import { dnsTools } from './tools/dns.ts';
import { serviceTools } from './tools/services.ts';
import { storageTools } from './tools/storage.ts';

export const toolboxOf = (resources: readonly Resource[]): Toolbox =>
  new Toolbox([
    ...insightTools(resources),
    ...declaredTools(resources),
    ...computeTools,
    ...storageTools,
    ...dnsTools,
    ...billingTools,
    ...activityTools,
    ...serviceTools,
  ]);
