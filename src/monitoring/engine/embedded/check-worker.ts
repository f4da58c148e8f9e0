// The worker thread of check.ts.
import { serveCalls } from '../../../core/threads/worker-calls.ts';
import { type CheckCalls, checkFolder } from './check.ts';

serveCalls<CheckCalls>({ check: checkFolder });
