// Evaluates a bucket policy for one request. An explicit deny wins over every allow; without a statement that
// applies, the policy has no opinion and the owner's rights decide.
import { isSatisfied } from './conditions.ts';
import type { Policy, Statement } from './document.ts';
import { type ConditionContext, matchesPattern, replaceVariables } from './pattern.ts';

export interface PolicyRequest {
  principals: readonly string[]; // all names of the caller: ARNs, account, canonical id; none: anonymous
  action: string; // s3:GetObject
  resource: string; // bucket or bucket/key
  context: ConditionContext;
}

export type Verdict = 'allow' | 'deny' | 'none';

export function evaluatePolicy(policy: Policy, request: PolicyRequest): Verdict {
  const applying = policy.statements.filter((statement) => applies(statement, request, policy.hasVariables));
  if (applying.some(({ effect }) => effect === 'Deny')) return 'deny';
  return applying.length > 0 ? 'allow' : 'none';
}

function applies(statement: Statement, request: PolicyRequest, hasVariables: boolean): boolean {
  const { principal, isNotPrincipal, actions, isNotAction, resources, isNotResource, conditions } = statement;
  const resolve = (patterns: readonly string[]): string[] =>
    hasVariables ? patterns.flatMap((each) => replaceVariables(each, request.context) ?? []) : [...patterns];
  const action = request.action.toLowerCase();
  const isNamed = principal.isAnyone || request.principals.some((name) => principal.names.includes(name));
  return (
    isNamed !== isNotPrincipal &&
    actions.some((pattern) => matchesPattern(pattern, action)) !== isNotAction &&
    resolve(resources).some((pattern) => matchesPattern(pattern, request.resource)) !== isNotResource &&
    conditions.every((condition) => isSatisfied(condition, resolve(condition.values), request.context))
  );
}
