// The thread that parses rule texts that could take long.
import { serveCalls } from '../../../core/threads/worker-calls.ts';
import { checkTexts, readRules } from './check.ts';
import { loadLanguage } from './language.ts';
import type { RuleCalls } from './read-text.ts';

serveCalls<RuleCalls>({
  read: async ({ text, language }) => readRules(text, await loadLanguage(language)),
  check: async ({ expressions, language }) => checkTexts(expressions, await loadLanguage(language)),
});
