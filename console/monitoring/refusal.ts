// Why the user may not make a call of monitoring in a region, or undefined.
import { refusalOf } from '../rights/session-rights.ts';
import type { DashboardModel } from './dashboard/dashboard-model.ts';
import type { Sources } from './sources.ts';

// `path`: below the region's monitoring, such as `/pipelines`.
export const refusalIn = (region: string, method: string, path: string): string | undefined =>
  refusalOf({ method, path: `/${region}/monitoring${path}` });

// Why the user may not change the shown dashboard, or create one if there is none.
export function dashboardRefusal({ region }: Sources, { shown }: DashboardModel, method = 'PUT'): string | undefined {
  const id = shown.value?.id;
  return id === undefined ? refusalIn(region, 'POST', '/dashboards') : refusalIn(region, method, `/dashboards/${id}`);
}
