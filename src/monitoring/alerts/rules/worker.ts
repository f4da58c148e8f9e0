// The thread that parses long texts of rules.
import { serveCalls } from '../../../core/worker-calls.ts';
import { readRules } from './check.ts';
import type { RuleCalls } from './read-text.ts';

serveCalls<RuleCalls>({ read: readRules });
