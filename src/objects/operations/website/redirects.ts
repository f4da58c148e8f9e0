// The redirects of a website's routing rules.
import { asHeaderValue } from '../../wire/http/header-value.ts';
import { urlEncoded } from '../../wire/http/object-key.ts';
import type { RoutingRule, WebsiteConfiguration } from '../../wire/xml/website-document.ts';

export interface Visit {
  key: string; // as requested
  scheme: 'http' | 'https';
  host: string; // including its port
}

export interface Redirect {
  status: number;
  location: string;
}

export function redirectOfAll({ redirectAll }: WebsiteConfiguration, visit: Visit): Redirect | undefined {
  if (!redirectAll) return undefined;
  const { hostName, protocol = visit.scheme } = redirectAll;
  return { status: 301, location: asHeaderValue(`${protocol}://${hostName}/${urlEncoded(visit.key)}`) };
}

// Applies the first matching rule. Rules for an error apply after the error, the others before the lookup.
export function redirectByRules(rules: RoutingRule[], visit: Visit, error?: number): Redirect | undefined {
  const rule = rules.find(
    ({ condition }) =>
      condition?.httpErrorCodeEquals === error && visit.key.startsWith(condition?.keyPrefixEquals ?? ''),
  );
  if (!rule) return undefined;
  const { hostName = visit.host, protocol = visit.scheme, httpRedirectCode = 301 } = rule.redirect;
  const location = asHeaderValue(`${protocol}://${hostName}/${urlEncoded(keyBehind(rule, visit.key))}`);
  return { status: httpRedirectCode, location };
}

function keyBehind({ condition, redirect }: RoutingRule, key: string): string {
  const { replaceKeyWith, replaceKeyPrefixWith } = redirect;
  if (replaceKeyWith !== undefined) return replaceKeyWith;
  if (replaceKeyPrefixWith === undefined) return key;
  return replaceKeyPrefixWith + key.slice(condition?.keyPrefixEquals?.length ?? 0);
}
