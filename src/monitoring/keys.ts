// The keys of pipelines as they are made and kept. A claim under the hash leads to the pipeline, so that a key can be
// recognized without knowing whose it is.
import { hash } from 'node:crypto';
import { randomText } from '../base/ids.ts';

const scope = 'metric-key ';
const keyBytes = 32;

export const newKey = (): string => randomText(keyBytes);
export const hashOf = (key: string): string => hash('sha256', key);
export const keyClaim = (sha256: string): string => scope + sha256;
export const isKeyClaim = (claim: string): boolean => claim.startsWith(scope);
