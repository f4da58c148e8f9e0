// The query language of a source, loaded where it is used: in the thread that reads rules, or on the event loop.
import type { CheckExpression, RuleLanguage } from '../../../surface/alerting/source.ts';
import type { LoadedLanguage } from './check.ts';

export async function loadLanguage({ module, records }: RuleLanguage): Promise<LoadedLanguage> {
  const { checkExpression } = (await import(module)) as { checkExpression: CheckExpression };
  return { checkExpression, records };
}
