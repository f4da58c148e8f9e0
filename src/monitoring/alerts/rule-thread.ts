// The thread that reads long texts of rules.
import { serveCalls } from '../../core/worker-pool.ts';
import { readRules } from './rule-check.ts';
import type { RuleCalls } from './rule-reading.ts';

serveCalls<RuleCalls>({ read: readRules });
