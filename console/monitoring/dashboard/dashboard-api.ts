// The dashboards stored in the region: the user's own; for the owner and administrators, all of the contract.
import { call } from '../../api.ts';
import type { PanelSettings } from '../plot/panel-settings.ts';
import type { Variable } from '../variables/variable.ts';

export interface DashboardProperties {
  name: string;
  panels: readonly PanelSettings[];
  variables?: readonly Variable[];
  range?: number; // the initial time range in seconds
}

export interface Dashboard {
  id: string;
  metadata: { createdByUserId: string; lastModifiedDate: string };
  properties: DashboardProperties;
}

export interface DashboardApi {
  list(): Promise<Dashboard[]>;
  get(id: string): Promise<Dashboard>;
  create(properties: DashboardProperties): Promise<Dashboard>;
  replace(id: string, properties: DashboardProperties): Promise<Dashboard>;
  remove(id: string): Promise<void>;
}

export function dashboardApi(region: string): DashboardApi {
  const path = `/${region}/monitoring/dashboards`;
  return {
    list: async () => (await call<{ items: Dashboard[] }>('GET', `${path}?limit=1000&orderBy=name`)).items,
    get: (id) => call<Dashboard>('GET', `${path}/${id}`),
    create: (properties) => call<Dashboard>('POST', path, { body: { properties } }),
    replace: (id, properties) => call<Dashboard>('PUT', `${path}/${id}`, { body: { properties } }),
    remove: (id) => call('DELETE', `${path}/${id}`),
  };
}
