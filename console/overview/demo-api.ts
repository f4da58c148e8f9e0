// The demo of the contract: an example shop with a load, which the lab creates.
import { call } from '../api.ts';
import type { Facts, Session } from '../session.ts';

export interface Demo {
  state: 'OFF' | 'CREATING' | 'RUNNING' | 'DELETING' | 'FAILED';
  resources: number;
  since?: string;
  message?: string;
}

const path = '/lab/demo';

// The lab may be off, and it is for administrators.
export const mayUseDemo = ({ role }: Session, { services }: Facts): boolean =>
  role !== 'user' && services.some(({ name }) => name === 'lab');

export const readDemo = (signal: AbortSignal): Promise<Demo> => call('GET', path, { signal });
export const startDemo = (): Promise<Demo> => call('PUT', path, { body: {} });
export const stopDemo = (): Promise<Demo> => call('DELETE', path);

export const isUnderWay = ({ state }: Demo): boolean => state === 'CREATING' || state === 'DELETING';
