// Reads values of Grafana's JSON, whose form depends on its version.
import { isObject } from '../dashboard-file.ts';

export type Grafana = Readonly<Record<string, unknown>>;

export const textIn = (value: unknown): string => (typeof value === 'string' ? value : '');

export function numberIn(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

export const objectIn = (value: unknown): Grafana => (isObject(value) ? value : {});
export const objectsIn = (value: unknown): Grafana[] => (Array.isArray(value) ? value.filter(isObject) : []);
