// Earlier versions stored dashboards in the browser. Those of this user, contract and region are moved into the region
// once.
import type { PanelSettings } from '../plot/panel-settings.ts';
import type { DashboardApi } from './dashboard-api.ts';
import { panelsIn } from './dashboard-file.ts';

export interface Owned {
  user: string;
  contract: number;
  region: string;
}

interface BrowserStorage {
  getItem(key: string): string | null;
  removeItem(key: string): void;
}

// The browser's copy is removed after the region has stored it, so a failure loses nothing.
export async function takeOver(
  storage: BrowserStorage,
  { user, contract, region }: Owned,
  api: Pick<DashboardApi, 'create'>,
): Promise<void> {
  const key = `dashboard/${user}/${contract}/${region}`;
  const text = storage.getItem(key);
  if (text === null) return;
  const panels = readable(text);
  if (panels.length > 0) await api.create({ name: 'From this browser', panels });
  storage.removeItem(key);
}

function readable(text: string): PanelSettings[] {
  try {
    return panelsIn(text);
  } catch {
    return []; // unreadable
  }
}
