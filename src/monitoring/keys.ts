// The keys of pipelines: how they are created and stored. A claim under the hash leads to the pipeline, so that a key
// identifies its pipeline.
import { hash } from 'node:crypto';
import { randomText } from '../base/ids.ts';

const scope = 'metric-key ';
const keyBytes = 32;

export const newKey = (): string => randomText(keyBytes);
export const hashOf = (key: string): string => hash('sha256', key);
export const keyClaim = (sha256: string): string => scope + sha256;
export const isKeyClaim = (claim: string): boolean => claim.startsWith(scope);
