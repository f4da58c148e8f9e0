// The keys of pipelines: how they are created and stored. A claim under the hash leads to the pipeline, so that a key
// identifies its pipeline. `scope` is a product's own word in front of its claims.
import { hash } from 'node:crypto';
import { randomText } from '../../base/ids.ts';

const keyBytes = 32;

export const newKey = (): string => randomText(keyBytes);
export const hashOf = (key: string): string => hash('sha256', key);
export const keyClaim = (scope: string, sha256: string): string => `${scope}-key ${sha256}`;
export const isKeyClaim = (scope: string, claim: string): boolean => claim.startsWith(`${scope}-key `);
