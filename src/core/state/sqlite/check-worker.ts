// The worker of check.ts: reads a file to its end.
import { serveCalls } from '../../threads/worker-calls.ts';
import { type CheckCalls, checkFile } from './check.ts';

serveCalls<CheckCalls>({ check: checkFile });
