// DNS: the service under /dns. Names are resolved by the name server, not by the gateway.
import type { Seal } from '../base/seal.ts';
import { idClaim } from '../core/regional.ts';
import type { Resource } from '../core/resource.ts';
import type { Route, Service } from '../surface/http/exchange.ts';
import type { Machinery } from '../surface/machinery.ts';
import { renderRegionalFault } from '../surface/regional-dialect/body.ts';
import { routesOf } from '../surface/resource-routes.ts';
import { keyRoutes } from './dnssec/routes.ts';
import { dnsRoutes } from './routes.ts';
import type { Secondaries } from './secondary/secondaries.ts';
import { zoneFileRoutes } from './zone-file/routes.ts';
import { record, type ServedNames } from './zones/record.ts';
import { reverseRecord } from './zones/reverse-record.ts';
import { secondaryZone } from './zones/secondary-zone.ts';
import { zone } from './zones/zone.ts';

export const dnsResources = [zone, record, secondaryZone, reverseRecord];
const withoutParents = [zone, secondaryZone, reverseRecord];

export function dnsService(machinery: Machinery, seal: Seal, secondaries: Secondaries, served: ServedNames): Service {
  return {
    name: 'dns',
    title: 'DNS',
    description: 'Zones, records, secondary zones, reverse records and DNSSEC keys.',
    prefixes: ['/dns'],
    hosts: ['dns.de-fra'],
    restApiPage: 'dns',
    takesBasic: true,
    routes: [
      ...routesOf(machinery, dnsResources as Resource[]).map(byRecordIp),
      ...keyRoutes(machinery, seal),
      ...zoneFileRoutes(machinery, served),
      ...dnsRoutes(machinery, secondaries),
    ],
    atRoot: {
      parts: ['zones', 'records', 'secondaryzones', 'reverserecords', 'quota'],
      agent: 'sdk-go-dns',
      async has({ who: { contract } }, id) {
        for (const one of withoutParents)
          if ((await machinery.store.claimed(idClaim(one, id)))?.contract === contract) return true;
        return false;
      },
    },
    renderFault: renderRegionalFault,
  };
}

// Clients filter reverse records by `filter.recordIp`; the property is called ip.
const byRecordIp = (route: Route): Route =>
  route.operation !== 'reverserecord_list'
    ? route
    : {
        ...route,
        call(x) {
          for (const ip of x.search.getAll('filter.recordIp')) x.search.append('filter.ip', ip);
          x.search.delete('filter.recordIp');
          return route.call(x);
        },
      };
