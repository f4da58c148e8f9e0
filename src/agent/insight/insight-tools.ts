// The tools that answer a question by more than one read.
import type { Tool } from '../tool.ts';
import { explainAlert } from './alert.ts';
import { whatChanged } from './changes.ts';
import { estimateCost } from './cost-estimate.ts';
import { searchLogs } from './logs.ts';
import { queryMetrics } from './metrics.ts';
import { explainReachability } from './reachability.ts';
import { showTopology } from './topology.ts';
import { findUnused } from './unused.ts';

export const insightTools: readonly Tool[] = [
  explainReachability,
  showTopology,
  whatChanged,
  findUnused,
  estimateCost,
  searchLogs,
  queryMetrics,
  explainAlert,
];
