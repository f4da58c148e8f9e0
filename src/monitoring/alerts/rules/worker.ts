// The thread that parses texts of rules that could take long.
import { serveCalls } from '../../../core/worker-calls.ts';
import { readRules } from './check.ts';
import { checkExpressions } from './expression.ts';
import type { RuleCalls } from './read-text.ts';

serveCalls<RuleCalls>({ read: readRules, check: checkExpressions });
