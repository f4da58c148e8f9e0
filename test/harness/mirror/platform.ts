// A hand-written server that answers as the real platform does: unknown properties, names that are null or given twice,
// random ids, BUSY resources, services without access, throttling, and small pages. It accepts only reads.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sampleCertificate } from '../../../src/testing/black-box/certificates.ts';

export interface Platform extends AsyncDisposable {
  url: string;
  token: string;
  calls: string[]; // method and path of each
  throttled: number; // answers of 429
  failures: number; // of one collection, which works later
  refused: RegExp; // paths without access
  hasNamesake: boolean; // the second datacenter has the name of the first
  stopAfter: number; // calls; later ones are cut off
}

type Item = Record<string, unknown>;

const id = (number: number): string => `8f1a2b3c-4d5e-4f60-9a7b-${String(number).padStart(12, '0')}`;
const stamps = { createdDate: '2019-04-01T08:00:00Z', createdBy: 'ada@shop.example', etag: '5d', future: { x: 1 } };

const of = (
  number: number | string,
  type: string,
  properties: Item,
  entities: Item = {},
  state = 'AVAILABLE',
): Item => ({
  id: typeof number === 'number' ? id(number) : number,
  type,
  href: `https://api.ionos.com/cloudapi/v6/${type}s/x`,
  metadata: { ...stamps, state },
  properties: { ...properties, unknownProperty: 'kept by the platform' },
  entities,
});
const list = (...items: Item[]): Item => ({ id: 'x', type: 'collection', items });

export const ids = {
  datacenter: id(5),
  servers: [id(10), id(11), id(12)],
  data: id(21),
  spare: id(22),
  image: id(900),
  privateImage: id(901),
  ada: id(1),
  owner: id(2),
  group: id(3),
  balancer: id(60),
};

const flowLog = of(46, 'flow-log', {
  ...{ name: 'rejected', action: 'REJECTED', direction: 'INGRESS', bucket: 'audit-logs/web' },
});

const nic = (number: number, name: string | null, more: Item = {}, flowLogs: Item[] = []): Item =>
  of(
    number,
    'nic',
    {
      name,
      mac: `02:01:9c:00:00:${number}`,
      ips: ['10.7.228.11', '198.51.100.4'],
      dhcp: true,
      lan: 2,
      firewallActive: false,
      deviceNumber: 6,
      pciSlot: 7,
      ...more,
    },
    {
      firewallrules: list(),
      flowlogs: list(...flowLogs),
      securitygroups: list(of(40, 'securitygroup', { name: 'web' })),
    },
  );

const volume = (number: number, name: string | null, image: string | null): Item =>
  of(number, 'volume', {
    name,
    type: 'SSD Premium',
    size: 20,
    image,
    licenceType: 'LINUX',
    bus: 'VIRTIO',
    deviceNumber: 1,
  });

const server = (
  number: number,
  name: string | null,
  entities: Item,
  state = 'AVAILABLE',
  vmState = 'RUNNING',
  more: Item = {},
): Item =>
  of(
    number,
    'server',
    {
      name,
      cores: 2,
      ram: 4096,
      cpuFamily: 'INTEL_SKYLAKE',
      availabilityZone: 'AUTO',
      type: 'ENTERPRISE',
      vmState,
      ...more,
    },
    { cdroms: list(), volumes: list(), nics: list(), securitygroups: list(), ...entities },
    state,
  );

const servers = [
  server(10, 'web', {
    volumes: list(volume(20, 'system', ids.image)),
    nics: list(nic(30, 'eth0', {}, [flowLog]), nic(31, null, { ips: ['10.7.228.12'], deviceNumber: 7, pciSlot: 8 })),
    cdroms: list(of(902, 'image', { name: 'Debian-12-netinst', imageType: 'CDROM' })),
    securitygroups: list(of(40, 'securitygroup', { name: 'web' })),
  }),
  server(11, 'web', { volumes: list(volume(21, 'data', ids.privateImage)) }, 'BUSY'),
  server(12, null, {}, 'AVAILABLE', 'SHUTOFF'),
];

// Servers with templates, of which a region has only one by its name, and servers that ended by themselves.
const disk = (number: number, type: string, size: number): Item =>
  of(number, 'volume', { name: 'disk', type, size, licenceType: 'LINUX', bus: 'VIRTIO' });
const cube = (number: number, name: string, template: number, vmState: string): Item =>
  server(number, name, { volumes: list(disk(number + 100, 'DAS', 100)) }, 'AVAILABLE', vmState, {
    ...{ type: 'CUBE', templateUuid: id(template), cores: 3, ram: 6144, cpuFamily: 'AMD_EPYC' },
  });
const edgeServers = [
  cube(110, 'known', 950, 'SHUTOFF'),
  cube(111, 'dense', 951, 'RUNNING'),
  server(112, 'trainer', { volumes: list(disk(212, 'SSD Premium', 2048)) }, 'AVAILABLE', 'RUNNING', {
    ...{ type: 'GPU', templateUuid: id(952), cores: 24, ram: 262_144, cpuFamily: 'AMD_TURIN' },
  }),
  ...['CRASHED', 'PAUSED', 'BLOCKED'].map((vmState, at) =>
    server(113 + at, vmState.toLowerCase(), {}, 'AVAILABLE', vmState),
  ),
];

const volumesIn = ({ volumes }: Item): Item[] => (volumes as { items: Item[] }).items;

// By path, without the query. A function: the answer has a status.
const pages: Record<string, Item[]> = {
  '/cloudapi/v6/contracts': [
    { type: 'contract', properties: { contractNumber: 31_234_567, owner: 'boss@shop.example' } },
  ],
  '/cloudapi/v6/labels': [
    of('urn:label:server:x:env', 'label', { key: 'env', value: 'prod', resourceId: id(10), resourceType: 'server' }),
  ],
  '/cloudapi/v6/images': [
    of(900, 'image', {
      name: 'Debian-12-server-2026-05-01',
      public: true,
      imageType: 'HDD',
      imageAliases: ['debian:latest'],
    }),
    of(901, 'image', { name: 'our golden image', public: false, imageType: 'HDD', imageAliases: [] }),
    of(902, 'image', {
      name: 'Debian-12-netinst',
      public: true,
      imageType: 'CDROM',
      imageAliases: ['debian:latest_iso'],
    }),
  ],
  '/cloudapi/v6/snapshots': [
    of(47, 'snapshot', { name: 'golden', location: 'de/txl', size: 20, licenceType: 'LINUX' }),
  ],
  '/cloudapi/v6/datacenters': [
    of(5, 'datacenter', { name: 'shop', location: 'de/txl', description: 'by ada@shop.example' }),
    of(6, 'datacenter', { name: 'edge', location: 'de/fra/2' }),
  ],
  [`/cloudapi/v6/datacenters/${id(6)}/servers`]: edgeServers,
  [`/cloudapi/v6/datacenters/${id(6)}/volumes`]: edgeServers.flatMap(({ entities }) => volumesIn(entities as Item)),
  '/cloudapi/v6/templates': [
    of(950, 'template', { name: 'Basic Cube S', cores: 2, ram: 4096, storageSize: 120 }),
    of(951, 'template', { name: 'Dense Cube', cores: 3, ram: 6144, storageSize: 100 }),
    of(952, 'template', { name: 'GPU H100', cores: 24, ram: 262_144, storageSize: 2048, gpus: [{ model: 'H100' }] }),
  ],
  [`/cloudapi/v6/datacenters/${id(5)}/lans`]: [
    of('2', 'lan', { name: null, public: true }),
    of('3', 'lan', { name: 'back', public: false }),
  ],
  [`/cloudapi/v6/datacenters/${id(5)}/servers`]: servers,
  [`/cloudapi/v6/datacenters/${id(5)}/volumes`]: [
    volume(20, 'system', ids.image),
    volume(21, 'data', ids.privateImage),
    volume(22, 'spare', id(47)),
  ],
  [`/cloudapi/v6/datacenters/${id(5)}/securitygroups`]: [
    of(
      40,
      'securitygroup',
      { name: 'web' },
      { rules: list(of(41, 'firewall-rule', { name: 'http', protocol: 'TCP' })) },
    ),
  ],
  [`/cloudapi/v6/datacenters/${id(5)}/loadbalancers`]: [
    of(60, 'loadbalancer', { name: 'old', dhcp: true }, { balancednics: list(nic(30, 'eth0')) }),
  ],
  [`/cloudapi/v6/datacenters/${id(5)}/applicationloadbalancers`]: [
    of(
      61,
      'applicationloadbalancer',
      { name: 'front', listenerLan: 2, targetLan: 3, ips: ['198.51.100.5'], lbPrivateIps: ['10.7.228.225/24'] },
      {
        forwardingrules: list(
          of(62, 'forwardingrule', {
            name: 'https',
            protocol: 'HTTP',
            listenerIp: '198.51.100.5',
            listenerPort: 443,
            serverCertificates: [id(80)],
            httpRules: [{ name: 'moved', type: 'STATIC', statusCode: 503, responseMessage: 'later', conditions: [] }],
          }),
        ),
        flowlogs: list(),
      },
    ),
  ],
  '/cloudapi/v6/k8s': [of(65, 'k8s', { name: 'prod' })],
  '/cloudapi/v6/backupunits': [of(63, 'backupunit', { name: 'nightly', email: 'ada@shop.example' })],
  '/autoscaling/groups': [
    of(64, 'group', {
      name: 'workers',
      datacenter: { id: id(5), type: 'datacenter', href: 'x' },
      location: 'de/txl',
      minReplicaCount: 1,
      maxReplicaCount: 2,
      policy: {
        metric: 'INSTANCE_CPU_UTILIZATION_AVERAGE',
        range: 'PT24H',
        unit: 'PER_HOUR',
        scaleInThreshold: 33,
        scaleOutThreshold: 77,
        scaleInAction: { amount: 1, amountType: 'ABSOLUTE', cooldownPeriod: 'PT5M', terminationPolicy: 'RANDOM' },
        scaleOutAction: { amount: 1, amountType: 'ABSOLUTE', cooldownPeriod: 'PT5M' },
      },
      replicaConfiguration: {
        availabilityZone: 'AUTO',
        cores: 1,
        ram: 1024,
        nics: [{ lan: 2, name: 'nic', dhcp: true }],
        volumes: [{ name: 'disk', size: 10, type: 'SSD_PREMIUM', image: ids.privateImage, bootOrder: 'AUTO' }],
      },
    }),
  ],
  [`/autoscaling/groups/${id(64)}/servers`]: [],
  '/cloudapi/v6/ipblocks': [
    of(50, 'ipblock', { name: 'pool', location: 'de/txl', size: 2, ips: ['198.51.100.4', '198.51.100.5'] }),
  ],
  '/cloudapi/v6/um/users': [
    of(1, 'user', { firstname: 'Ada', lastname: 'L', email: 'ada@shop.example', administrator: false, active: true }),
    of(2, 'user', { firstname: 'The', lastname: 'Boss', email: 'boss@shop.example', administrator: true }),
  ],
  '/cloudapi/v6/um/groups': [of(3, 'group', { name: 'devs', createDataCenter: true, accessAndManageOther: true })],
  [`/cloudapi/v6/um/groups/${id(3)}/users`]: [of(1, 'user', {}), of(2, 'user', {})],
  [`/cloudapi/v6/um/groups/${id(3)}/shares`]: [of(5, 'resource', { editPrivilege: true, sharePrivilege: false })],
  '/dns/zones': [of(70, 'zone', { zoneName: 'shop.example', enabled: true })],
  [`/dns/zones/${id(70)}/records`]: Array.from({ length: 7 }, (_, at) =>
    of(71 + at, 'record', { name: `www${at}`, type: 'A', content: `198.51.100.${at}`, ttl: 3600, enabled: true }),
  ),
  '/certificate-manager/certificates': [
    of(80, 'certificate', {
      name: 'shop',
      certificate: sampleCertificate.certificate,
      certificateChain: sampleCertificate.certificateChain,
    }),
  ],
  '/de-fra/monitoring/pipelines': [of(90, 'pipeline', { name: 'metrics' })],
};

const recordsPerPage = 3;
const emptyPaths = /^\/cloudapi\/v6\/(targetgroups|datacenters\/[^/]+\/\w+)$/;

interface Reply {
  status: number;
  body: Item | string;
  headers?: Record<string, string>;
}

const refusal = (status: number, message: string, headers = {}): Reply => ({
  status,
  body: { httpStatus: status, messages: [{ errorCode: '1', message }] },
  headers,
});

// The object storage: one bucket with one object.
function storedAt(pathname: string, [query = '']: string[]): Reply {
  const found: Record<string, string> = {
    '/ ': '<ListAllMyBucketsResult><Buckets><Bucket><Name>assets</Name></Bucket></Buckets></ListAllMyBucketsResult>',
    '/assets versioning': '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>',
    '/assets list-type':
      '<ListBucketResult><Contents><Key>index.html</Key><Size>12</Size></Contents></ListBucketResult>',
    '/assets/index.html ': 'twelve bytes',
  };
  const body = found[`${pathname} ${query}`];
  return body === undefined ? { status: 404, body: '<Error><Code>NoSuchKey</Code></Error>' } : { status: 200, body };
}

export async function startPlatform(): Promise<Platform> {
  const token = `Planted-${crypto.randomUUID()}`;
  const http = createServer((request, response) => answer(request, response));
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const platform: Platform = {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    token,
    calls: [],
    throttled: 0,
    failures: 0,
    refused: /^\/(autoscaling|databases\/mongodb)/,
    hasNamesake: false,
    stopAfter: Number.POSITIVE_INFINITY,
    async [Symbol.asyncDispose]() {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };

  function answer(request: IncomingMessage, response: ServerResponse): void {
    const reply = replyTo(request);
    if (!reply) {
      request.socket.destroy();
      return;
    }
    const isText = typeof reply.body === 'string';
    const type = isText ? 'application/xml' : 'application/json';
    response.writeHead(reply.status, { 'content-type': type, ...reply.headers });
    response.end(isText ? reply.body : JSON.stringify(reply.body));
  }

  function pagesOf(pathname: string): Item[] | undefined {
    const items = pages[pathname];
    if (!platform.hasNamesake || pathname !== '/cloudapi/v6/datacenters') return items;
    return items?.map((item) => ({ ...item, properties: { ...(item.properties as Item), name: 'shop' } }));
  }

  function replyTo({ method = '', url = '', headers }: IncomingMessage): Reply | undefined {
    const { pathname, searchParams } = new URL(url, platform.url);
    platform.calls.push(`${method} ${pathname}`);
    if (platform.calls.length > platform.stopAfter) return undefined;
    if (method !== 'GET' && method !== 'HEAD') return refusal(405, 'Only reads are expected');
    if (headers.authorization?.startsWith('AWS4-')) return storedAt(pathname, [...searchParams.keys()]);
    // The platform's proxies have been seen to repeat what they got.
    if (headers.authorization !== `Bearer ${token}`) return refusal(401, `Unauthorized: ${headers.authorization}`);
    if (platform.calls.length % 7 === 0 && platform.throttled < 3) {
      platform.throttled++;
      return refusal(429, 'Rate limit exceeded', { 'retry-after': platform.throttled === 1 ? '0.2' : '0' });
    }
    if (platform.refused.test(pathname)) return refusal(403, `Access denied for ${token}`);
    if (pathname === '/cloudapi/v6/targetgroups' && platform.failures++ < 4)
      return refusal(500, 'Internal error', { 'retry-after': '0.05' });
    const items = pagesOf(pathname) ?? (emptyPaths.test(pathname) ? [] : undefined);
    if (!items) return refusal(404, 'Resource does not exist');
    const offset = Number(searchParams.get('offset'));
    const limit = pathname.endsWith('/records') ? recordsPerPage : 1000;
    const next = offset + limit < items.length ? { next: 'https://dns.de-fra.ionos.com/zones' } : {};
    const page = { items: items.slice(offset, offset + limit), offset, limit, _links: next };
    return { status: 200, body: { id: 'x', type: 'collection', href: 'x', ...page } };
  }
  return platform;
}
