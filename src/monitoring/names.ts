// The words by which metric pipelines are claimed and addressed.
import type { AddressNames } from '../surface/pipelines/addresses.ts';

export const scope = 'metric'; // of its claims
export const addressNames: AddressNames = { service: 'monitoring', what: 'metrics' };
