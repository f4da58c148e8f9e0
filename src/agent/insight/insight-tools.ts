// The tools that combine several reads to answer a question.
import type { Resource } from '../../core/resource.ts';
import type { Tool } from '../tool.ts';
import { explainAlert } from './alert.ts';
import { whatChanged } from './changes.ts';
import { estimateCost } from './cost-estimate.ts';
import { searchLogs } from './logs.ts';
import { queryMetrics } from './metrics.ts';
import { monthlyCost } from './monthly-cost.ts';
import { explainReachability } from './reachability.ts';
import { showTopology } from './topology.ts';
import { findUnused } from './unused.ts';

export const insightTools = (resources: readonly Resource[]): readonly Tool[] => [
  explainReachability,
  showTopology,
  whatChanged(resources),
  findUnused,
  monthlyCost,
  estimateCost,
  searchLogs,
  queryMetrics,
  explainAlert,
];
