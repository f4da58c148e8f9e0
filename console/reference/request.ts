// The request of a filled-in operation, and the same request as a curl command.
import type { ApiOperation, Parameter } from './document.ts';

export type Filled = Readonly<Record<string, string>>; // by the name of the field; `body` is the body's

export interface ApiRequest {
  path: string; // on this origin
  method: string;
  headers: Record<string, string>;
  body: string | undefined;
}

export const fieldName = ({ in: place, name }: Pick<Parameter, 'in' | 'name'>): string => `${place}.${name}`;

export function requestOf(operation: ApiOperation, filled: Filled): ApiRequest {
  const { method, server, parameters = [], requestBody } = operation;
  const given = parameters.flatMap((one) => {
    const value = filled[fieldName(one)] ?? '';
    return value === '' ? [] : [{ ...one, value }];
  });
  let { path } = operation;
  const query = new URLSearchParams();
  const headers: Record<string, string> = {};
  for (const { in: place, name, value } of given) {
    if (place === 'path') path = path.replace(`{${name}}`, encodeURIComponent(value));
    else if (place === 'query') query.append(name, value);
    else headers[name] = value;
  }
  const [type] = Object.keys(requestBody?.content ?? {});
  if (type !== undefined) headers['Content-Type'] = type;
  const root = new URL(server).pathname.replace(/\/$/, '');
  const queryText = query.size === 0 ? '' : `?${query}`;
  return {
    path: `${root}${path}${queryText}`,
    method,
    headers,
    body: type === undefined ? undefined : (filled.body ?? ''),
  };
}

// `credential`: the authentication header, with a shell variable instead of the secret.
export function curlOf({ method, path, headers, body }: ApiRequest, origin: string, credential: string): string {
  const parts = ['curl'];
  if (method !== 'GET') parts.push(`-X ${method}`);
  if (credential !== '') parts.push(`-H "${credential}"`);
  for (const [name, value] of Object.entries(headers)) parts.push(`-H ${quoted(`${name}: ${value}`)}`);
  if (body !== undefined) parts.push(`--data-raw ${quoted(body)}`);
  return [...parts, quoted(origin + path)].join(' ');
}

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
