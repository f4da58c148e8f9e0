// Certificates: the service under /certificate-manager.
import { idClaim } from '../core/regional.ts';
import type { Resource } from '../core/resource.ts';
import type { Service } from '../surface/http/exchange.ts';
import type { Machinery } from '../surface/machinery.ts';
import { renderRegionalFault } from '../surface/regional-dialect/body.ts';
import { routesOf } from '../surface/resource-routes.ts';
import { autoCertificate } from './resources/auto-certificate.ts';
import { certificate } from './resources/certificate.ts';
import { provider } from './resources/provider.ts';

export const certificateResources = [certificate, provider, autoCertificate];

export const certificateService = (machinery: Machinery): Service => ({
  name: 'certificates',
  title: 'Certificate manager',
  description: 'Certificates: uploaded ones, and ones that providers issue and renew.',
  prefixes: ['/certificate-manager'],
  hosts: ['certificate-manager.de-fra'],
  restApiPage: 'certificatemanager',
  takesBasic: true,
  routes: routesOf(machinery, certificateResources as Resource[]),
  atRoot: {
    parts: certificateResources.map(({ plural }) => plural),
    agent: 'sdk-go-cert-manager',
    async has({ who: { contract } }, id) {
      for (const one of certificateResources)
        if ((await machinery.store.claimed(idClaim(one, id)))?.contract === contract) return true;
      return false;
    },
  },
  renderFault: renderRegionalFault,
});
