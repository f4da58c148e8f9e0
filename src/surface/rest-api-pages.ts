// The platform's REST API pages, at the host where clients read them: an index of APIs, and a document with the servers
// of each. `ionosctl login` writes its configuration from these.
import { Fault } from '../base/fault.ts';
import type { Json } from '../base/json.ts';
import { openapi } from './docs/openapi-document.ts';
import { type Exchange, json, type Reply, type Route, type Service } from './http/exchange.ts';
import { builtInDomain, plain, restApiPagesHost } from './http/host-names.ts';
import { renderPlatformFault } from './http/payload.ts';

interface PagesFacts {
  services: () => readonly Service[];
  regions: readonly string[];
}

const root = '/rest-api';

export function restApiPages(facts: PagesFacts): Service {
  const route = (path: string, operation: string, summary: string, call: (x: Exchange) => Reply): Route => ({
    method: 'GET',
    path: root + path,
    operation,
    summary,
    open: true,
    replySchema: {},
    call,
  });
  const claimsHost = (host: string): boolean => plain(host.replace(/:\d+$/, '')) === restApiPagesHost;
  return {
    name: 'restapipages',
    title: 'REST API pages',
    description: '',
    prefixes: [],
    hosts: [],
    wholeHosts: [restApiPagesHost],
    isHidden: true,
    takesBasic: false,
    claims: (x) => claimsHost(x.host),
    claimsHost,
    routes: [
      route('/private-index.json', 'restapipages_index', 'All APIs', () => json(200, { pages: pagesOf(facts) })),
      route('/docs/{document}', 'restapipages_document', 'The OpenAPI document of an API', (x) => documentOf(x, facts)),
    ],
    renderFault: (fault) => renderPlatformFault(fault),
  };
}

const pagesOf = ({ services }: PagesFacts): Json[] =>
  services().flatMap(({ restApiPage, version = '1.0' }) => {
    if (restApiPage === undefined) return [];
    const spec = `${root}/docs/${restApiPage}.json`;
    return [{ name: restApiPage, spec, visibility: 'public', version: `v${version.split('.')[0]}`, gate: 'GA' }];
  });

function documentOf(x: Exchange, { services, regions }: PagesFacts): Reply {
  const service = services().find(({ restApiPage }) => restApiPage && x.params[0] === `${restApiPage}.json`);
  if (!service) throw new Fault('missing', `The REST API pages have no document ${x.params[0]?.slice(0, 80)}.`);
  return json(200, { ...(openapi(service, '') as object), servers: serversOf(service, regions) });
}

// The addresses that clients have built in: by the proxy they lead to this region.
const serversOf = ({ hosts, prefixes }: Service, regions: readonly string[]): Json[] =>
  hosts.slice(0, 1).flatMap((host) => {
    const path = host === 'api' ? (prefixes[0] ?? '') : '';
    const labels = host.includes('<region>') ? regions.map((region) => host.replace('<region>', region)) : [host];
    return labels.map((label) => ({ url: `https://${label}.${builtInDomain}${path}` }));
  });
