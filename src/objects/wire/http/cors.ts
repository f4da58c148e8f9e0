// Cross-origin rules: the rule of a bucket that applies to an origin, and the answer to a preflight.
import { s3Fault } from '../error.ts';
import { compileWildcards, matchesWildcards } from '../policy/wildcards.ts';
import { asHeaderValue } from './header-value.ts';

export interface CorsRule {
  id: string | undefined;
  allowedOrigins: string[];
  allowedMethods: string[];
  allowedHeaders: string[];
  exposeHeaders: string[];
  maxAgeSeconds: number | undefined;
}

const methods = ['GET', 'PUT', 'POST', 'DELETE', 'HEAD'];
const mostRules = 100;
const mostRequestedHeaders = 200; // of a preflight; a browser sends a few

export function checkCorsRules(rules: CorsRule[]): CorsRule[] {
  if (rules.length === 0 || rules.length > mostRules) throw s3Fault('MalformedXML');
  for (const { id, allowedOrigins, allowedMethods, allowedHeaders, exposeHeaders } of rules) {
    for (const name of exposeHeaders) asHeaderValue(name);
    if (id !== undefined && id.length > 255) throw s3Fault('InvalidRequest', 'ID length should not exceed 255.');
    if (allowedOrigins.length === 0 || allowedMethods.length === 0) throw s3Fault('MalformedXML');
    const unknown = allowedMethods.find((method) => !methods.includes(method));
    if (unknown !== undefined) {
      const message = `Found unsupported HTTP method in CORS config. Unsupported method is ${unknown.slice(0, 40)}`;
      throw s3Fault('InvalidRequest', message);
    }
    const wild = [...allowedOrigins, ...allowedHeaders].find((each) => each.split('*').length > 2);
    if (wild !== undefined) throw s3Fault('InvalidRequest', 'A value cannot have more than one wildcard.');
  }
  return rules;
}

export interface CorsRequest {
  origin: string;
  method: string; // of the request, or the requested one of a preflight
  headers: readonly string[]; // the requested headers of a preflight
}

// The first rule that allows the whole request applies.
export function corsRule(rules: readonly CorsRule[], request: CorsRequest): CorsRule | undefined {
  const requestedHeaders = [...new Set(request.headers.map((header) => header.toLowerCase()))];
  if (requestedHeaders.length > mostRequestedHeaders) return undefined;
  return rules.find(
    (rule) =>
      rule.allowedMethods.includes(request.method) &&
      rule.allowedOrigins.some((pattern) => matchesWildcards(pattern, request.origin)) &&
      allowsHeaders(rule, requestedHeaders),
  );
}

function allowsHeaders({ allowedHeaders }: CorsRule, requestedHeaders: readonly string[]): boolean {
  if (requestedHeaders.length === 0) return true;
  const matchers = allowedHeaders.map((pattern) => compileWildcards(pattern.toLowerCase()));
  return requestedHeaders.every((header) => matchers.some((matches) => matches(header)));
}

export function corsHeaders(rule: CorsRule, request: CorsRequest): Record<string, string> {
  const isAnyOrigin = rule.allowedOrigins.includes('*');
  const headers: Record<string, string> = {
    'access-control-allow-origin': isAnyOrigin ? '*' : request.origin,
    'access-control-allow-methods': rule.allowedMethods.join(', '),
    vary: 'Origin, Access-Control-Request-Headers, Access-Control-Request-Method',
  };
  if (!isAnyOrigin) headers['access-control-allow-credentials'] = 'true';
  if (request.headers.length > 0) headers['access-control-allow-headers'] = request.headers.join(', ').toLowerCase();
  if (rule.exposeHeaders.length > 0) headers['access-control-expose-headers'] = rule.exposeHeaders.join(', ');
  if (rule.maxAgeSeconds !== undefined) headers['access-control-max-age'] = String(rule.maxAgeSeconds);
  return headers;
}

// Returns the headers of the answer to an OPTIONS request; refuses it as S3 does if no rule allows it.
export function preflight(
  rules: readonly CorsRule[] | undefined,
  header: (name: string) => string | undefined,
): Record<string, string> {
  const origin = header('origin');
  const method = header('access-control-request-method');
  if (!origin) throw s3Fault('InvalidRequest', 'Insufficient information. Origin request header needed.');
  if (!method || !methods.includes(method)) {
    throw s3Fault('InvalidRequest', 'Invalid Access-Control-Request-Method: it must be a method of S3.');
  }
  const requestedHeaders = header('access-control-request-headers')?.split(',') ?? [];
  const request = {
    origin,
    method,
    headers: requestedHeaders.map((name) => name.trim()).filter((name) => name !== ''),
  };
  if (!rules) throw s3Fault('AccessForbidden', 'CORSResponse: CORS is not enabled for this bucket.');
  const rule = corsRule(rules, request);
  if (!rule) throw s3Fault('AccessForbidden');
  return corsHeaders(rule, request);
}
