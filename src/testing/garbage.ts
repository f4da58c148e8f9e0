// Collects garbage now, so that what a test measures is the memory that is still in use.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
export const collectOnce = runInNewContext('gc') as () => void;

export function collectGarbage(): void {
  collectOnce();
  collectOnce(); // waits for the buffers that the first one frees in the background
}
