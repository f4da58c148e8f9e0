// The address of each service of the platform. IONOS_API_URL names one host for all; without it, each service has the
// host that clients have built in. On the one host, DNS, certificates and object storage keys are at the root, as
// other clients expect.
import { Failure } from './failure.ts';

export type ServiceName =
  | 'cloudapi'
  | 'auth'
  | 'activitylog'
  | 'autoscaling'
  | 'billing'
  | 'monitoring'
  | 'logging'
  | 'streaming'
  | 'dns'
  | 'certificates'
  | 'objectstorage'
  | 'inference'
  | 'reachability'
  | 'lab';

interface Place {
  path: string; // on the one host
  host: string;
  hostPath?: string; // on its own host, where that differs
}

const api = 'api.ionos.com';
const region = 'de-txl'; // of services that have a host in each region, where no other address is given

const places: Readonly<Record<ServiceName, Place>> = {
  cloudapi: { path: '/cloudapi/v6', host: api },
  auth: { path: '/auth/v1', host: api },
  activitylog: { path: '/activitylog/v1', host: api },
  autoscaling: { path: '/autoscaling', host: api },
  billing: { path: '/billing', host: api },
  reachability: { path: '/reachability', host: api },
  lab: { path: '/lab', host: api },
  monitoring: { path: '/monitoring', host: `monitoring.${region}.ionos.com`, hostPath: '' },
  logging: { path: '/logging', host: `logging.${region}.ionos.com`, hostPath: '' },
  streaming: { path: '/streaming', host: `kafka.${region}.ionos.com`, hostPath: '' },
  inference: { path: '/inference', host: `inference.${region}.ionos.com`, hostPath: '' },
  dns: { path: '', host: 'dns.de-fra.ionos.com' },
  certificates: { path: '', host: 'certificate-manager.de-fra.ionos.com' },
  objectstorage: { path: '', host: 's3.ionos.com' },
};

export type AddressOf = (service: ServiceName) => string;

export function addresses(apiUrl: string | undefined): AddressOf {
  if (apiUrl === undefined)
    return (service) => {
      const { host, path, hostPath = path } = places[service];
      return `https://${host}${hostPath}`;
    };
  const base = baseOf(apiUrl);
  return (service) => base + places[service].path;
}

// The S3 protocol: signed calls are accepted at the root of the one host.
export const storageAddress = (apiUrl: string | undefined, storageRegion: string): string =>
  apiUrl === undefined ? `https://s3.${storageRegion}.ionoscloud.com` : baseOf(apiUrl);

// Some clients want the path of the core API at the end of it.
const baseOf = (apiUrl: string): string => apiUrl.replace(/\/+$/, '').replace(/\/cloudapi\/v6$/, '');

// The address of a call. Only the user's setting can make it invalid.
export function urlOf(address: string): URL {
  const url = URL.parse(address);
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw new Failure(
    `IONOS_API_URL is not a valid web address: it must begin with http:// or https://, as in http://localhost:7070. The resulting address is ${JSON.stringify(address.slice(0, 120))}.`,
  );
}
