// The bodies of regional services. They wrap their properties and may carry ignored metadata and, with a PUT, the
// resource that was read before. The code of an error without its own code is its status.
import { Fault, mostProblems, type Problem } from '../../base/fault.ts';
import { isObject, type Json, type Values } from '../../base/json.ts';
import type { Caller } from '../../core/access.ts';
import type { Sent } from '../../core/operation/draft.ts';
import type { Resource } from '../../core/resource.ts';
import { report, type Way } from '../../core/schema.ts';
import { propertiesSchema } from '../docs/openapi.ts';
import type { Reply } from '../http/exchange.ts';
import { renderPlatformFault } from '../http/payload.ts';

export const renderRegionalFault = (fault: Fault): Reply =>
  renderPlatformFault(fault, {}, { unauthenticated: 'paas-auth-1' });

// `id` is the one that the path names, where it names one. A copy keeps that of its body.
export function regionalBody(body: Json | undefined, way: Way, id: string, caller?: Caller): Sent {
  if (!isObject(body)) throw new Fault('refused', '[(root)] An object is expected', { code: '100' });
  const problems: Problem[] = [];
  const isCopied = way === 'create' && caller?.copies === true;
  const known = [
    'metadata',
    'properties',
    ...(way === 'create' ? [] : ['id', 'type', 'href']),
    ...(isCopied ? ['id'] : []),
  ];
  for (const key in body) {
    if (problems.length >= mostProblems) break;
    if (!known.includes(key)) report(problems, `(root).${key}`, 'Attribute is unknown', '106');
  }
  const { metadata = null, id: given = null } = body;
  if (metadata !== null && !isObject(metadata)) report(problems, '(root).metadata', 'An object is expected', '100');
  // Some clients send an empty one.
  if (way !== 'create' && given !== null && given !== '' && given !== id)
    report(problems, '(root).id', 'The id must be that of the path', '100');
  if (problems.length) throw new Fault('refused', 'The request body is not acceptable.', { problems });
  return { properties: body.properties, ...(isCopied && given !== null && { id: given }) };
}

export function regionalBodySchema(resource: Resource, way: Way): Values {
  const properties = propertiesSchema(resource.properties, way);
  const metadata: Values = { type: ['object', 'null'], deprecated: true, description: 'Ignored' };
  const id: Values = { type: ['string', 'null'], description: 'The id in the path, or empty' };
  return {
    type: 'object',
    properties: { metadata, properties, ...(way !== 'create' && { id }) },
    ...(Array.isArray(properties.required) && { required: ['properties'] }),
  };
}
