// Evaluates a bucket policy for one request. An explicit deny overrides every allow; if no statement applies, the
// owner's rights decide.
import { isSatisfied } from './conditions.ts';
import type { Policy, Statement } from './document.ts';
import { type ConditionContext, compilePattern, hasVariable, matchesPattern, replaceVariables } from './pattern.ts';
import type { Matcher } from './wildcards.ts';

export interface PolicyRequest {
  principals: readonly string[]; // all names of the caller: ARNs, account, canonical id; none: anonymous
  action: string; // s3:GetObject
  resource: string; // bucket or bucket/key
  context: ConditionContext;
}

export type Verdict = 'allow' | 'deny' | 'none';

export function evaluatePolicy(policy: Policy, request: PolicyRequest): Verdict {
  const applying = policy.statements.filter((statement) => applies(policy, statement, request));
  if (applying.some(({ effect }) => effect === 'Deny')) return 'deny';
  return applying.length > 0 ? 'allow' : 'none';
}

function applies(policy: Policy, statement: Statement, request: PolicyRequest): boolean {
  const { principal, isNotPrincipal, actions, isNotAction, resources, isNotResource, conditions } = statement;
  const resolve = (patterns: readonly string[]): readonly string[] =>
    policy.hasVariables && patterns.some(hasVariable)
      ? patterns.flatMap((each) => replaceVariables(each, request.context) ?? [])
      : patterns;
  const matchesResource = (pattern: string): boolean => {
    const isFixed = !policy.hasVariables || !hasVariable(pattern);
    if (isFixed) return matcherOf(policy, pattern)(request.resource);
    const resolved = replaceVariables(pattern, request.context);
    return resolved !== undefined && matchesPattern(resolved, request.resource);
  };
  const action = request.action.toLowerCase();
  const isNamed = principal.isAnyone || request.principals.some((name) => principal.names.includes(name));
  return (
    isNamed !== isNotPrincipal &&
    actions.some((pattern) => matcherOf(policy, pattern)(action)) !== isNotAction &&
    resources.some(matchesResource) !== isNotResource &&
    conditions.every((condition) => isSatisfied(condition, resolve(condition.values), request.context))
  );
}

// Compiled once for all evaluations of the policy.
function matcherOf({ matchers }: Policy, pattern: string): Matcher {
  const known = matchers.get(pattern) ?? compilePattern(pattern);
  matchers.set(pattern, known);
  return known;
}
