// All declared resources, without opening a product: for whoever needs to know what there is, and holds no state.
import { autoscalingResources } from './autoscaling/index.ts';
import { certificateResources } from './certificates/index.ts';
import { computeResources } from './compute/index.ts';
import type { Resource } from './core/resource.ts';
import { dnsResources } from './dns/index.ts';
import { identityResources, keyResources } from './identity/index.ts';
import { inferenceResources } from './inference/native/service.ts';
import { loggingResources } from './logging/index.ts';
import { monitoringResources } from './monitoring/index.ts';
import { accessKey } from './objects/management/access-key.ts';
import { streamingResources } from './streaming/index.ts';

export const declarations = [
  ...computeResources,
  ...autoscalingResources,
  ...identityResources,
  ...keyResources,
  ...monitoringResources,
  ...loggingResources,
  accessKey,
  ...dnsResources,
  ...certificateResources,
  ...streamingResources,
  ...inferenceResources,
] as readonly Resource[];
