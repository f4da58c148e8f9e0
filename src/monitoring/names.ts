// The names that claim and address metric pipelines.
import type { AddressNames } from '../surface/pipelines/addresses.ts';

export const scope = 'metric'; // of its claims
export const addressNames: AddressNames = { service: 'monitoring', what: 'metrics' };
