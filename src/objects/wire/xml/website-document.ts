// Reads WebsiteConfiguration: an index document with routing rules, or a redirect of all requests.
import { s3Fault } from '../error.ts';
import { type Element, malformed, manyElements, parseXml } from './parser.ts';

export interface WebsiteConfiguration {
  indexSuffix: string | undefined;
  errorKey: string | undefined;
  redirectAll: { hostName: string; protocol: 'http' | 'https' | undefined } | undefined;
  routingRules: RoutingRule[];
}

export interface RoutingRule {
  condition: { keyPrefixEquals: string | undefined; httpErrorCodeEquals: number | undefined } | undefined;
  redirect: {
    hostName: string | undefined;
    protocol: 'http' | 'https' | undefined;
    httpRedirectCode: number | undefined;
    replaceKeyPrefixWith: string | undefined;
    replaceKeyWith: string | undefined;
  };
}

const mostRules = 50;

export function readWebsiteConfiguration(body: string | Uint8Array): WebsiteConfiguration {
  const root = parseXml(body, 'WebsiteConfiguration', manyElements);
  const redirectAll = root.optional('RedirectAllRequestsTo');
  const index = root.optional('IndexDocument');
  const error = root.optional('ErrorDocument');
  const rules = root.optional('RoutingRules')?.all('RoutingRule') ?? [];
  if (redirectAll && (index || error || rules.length > 0)) {
    throw s3Fault('InvalidRequest', 'RedirectAllRequestsTo cannot be provided in conjunction with other elements.');
  }
  if (!redirectAll && !index) throw s3Fault('InvalidArgument', 'A value for IndexDocument Suffix must be provided');
  if (rules.length > mostRules) throw s3Fault('InvalidRequest', `There can be at most ${mostRules} routing rules.`);
  return {
    indexSuffix: index && indexSuffix(index),
    errorKey: error && (error.raw('Key') || malformed('ErrorDocument needs a Key.')),
    redirectAll: redirectAll && {
      hostName: redirectAll.string('HostName') || malformed('RedirectAllRequestsTo needs a HostName.'),
      protocol: redirectAll.choice('Protocol', ['http', 'https']),
    },
    routingRules: rules.map(readRoutingRule),
  };
}

function indexSuffix(index: Element): string {
  const suffix = index.string('Suffix');
  if (suffix && !suffix.includes('/')) return suffix;
  throw s3Fault('InvalidArgument', 'The IndexDocument Suffix is not well formed');
}

function readRoutingRule(rule: Element): RoutingRule {
  const condition = rule.optional('Condition');
  const redirect = rule.required('Redirect');
  const read = {
    hostName: redirect.string('HostName') || undefined,
    protocol: redirect.choice('Protocol', ['http', 'https']),
    httpRedirectCode: redirect.integer('HttpRedirectCode', 300, 399),
    replaceKeyPrefixWith: redirect.raw('ReplaceKeyPrefixWith'),
    replaceKeyWith: redirect.raw('ReplaceKeyWith'),
  };
  if (Object.values(read).every((each) => each === undefined)) malformed('Redirect is empty.');
  if (read.replaceKeyPrefixWith !== undefined && read.replaceKeyWith !== undefined) {
    throw s3Fault('InvalidRequest', 'You can only define ReplaceKeyPrefix or ReplaceKey but not both.');
  }
  return {
    condition: condition && {
      keyPrefixEquals: condition.raw('KeyPrefixEquals'),
      httpErrorCodeEquals: condition.integer('HttpErrorCodeReturnedEquals', 400, 599),
    },
    redirect: read,
  };
}
