// The declaration of DNS.
import type { Declaration } from '../surface/product.ts';
import { type DnsSettings, dnsSettings } from './settings.ts';

export const dns: Declaration<DnsSettings> = {
  name: 'dns',
  labels: { dns: 'DNS', dnsserver: 'DNS server' },
  clientEndpoints: [{ name: 'dns', path: '/dns', host: 'dns.de-fra' }],
  settings: dnsSettings,
  resources: async () => (await import('./index.ts')).dnsResources,
  data: { load: async () => (await import('./data.ts')).dnsData },
  open: async (context, ports, settings) => (await import('./product.ts')).openDns(context, ports, settings),
};
