// The ways between the pages, by product: the navigation shows them, the palette finds them.
import type { IconName } from './components/icon-names.ts';
import {
  accountUrl,
  activityUrl,
  bucketsUrl,
  costsUrl,
  docsUrl,
  labUrl,
  limitsUrl,
  logsUrl,
  monitoringUrl,
  overviewUrl,
  playgroundUrl,
  requestsUrl,
  resourceUrl,
  tokensUrl,
} from './urls.ts';

export interface Part {
  title: string;
  url: string;
  icon: IconName;
  words?: string; // that people look for it by, besides its title
  among?: string; // its title among those beside it, where it is another one
  beside?: readonly Omit<Part, 'icon'>[]; // pages of the same kind, that it leads to
}

// A new product has its own group, or a line in the group of what it belongs to.
export const groups: readonly { title: string; parts: readonly Part[] }[] = [
  {
    title: 'Region',
    parts: [
      { title: 'Overview', url: overviewUrl(), icon: 'overview' },
      { title: 'Requests', url: requestsUrl(), icon: 'requests' },
      { title: 'Activity', url: activityUrl(), icon: 'activity', words: 'audit log history' },
      { title: 'Costs', url: costsUrl(), icon: 'costs', words: 'bill invoice prices' },
      { title: 'Limits', url: limitsUrl(), icon: 'limits', words: 'quota' },
    ],
  },
  {
    title: 'Compute',
    parts: [
      {
        title: 'Datacenters',
        url: resourceUrl('cloudapi', '/datacenters'),
        icon: 'datacenter',
      },
      { title: 'Servers', url: resourceUrl('cloudapi', '/datacenters/-/servers'), icon: 'server' },
      { title: 'Volumes', url: resourceUrl('cloudapi', '/datacenters/-/volumes'), icon: 'volume' },
      { title: 'Auto scaling', url: resourceUrl('autoscaling', '/groups'), icon: 'scaling' },
      {
        title: 'Images',
        url: resourceUrl('cloudapi', '/images'),
        icon: 'image',
        beside: [
          { title: 'Snapshots', url: resourceUrl('cloudapi', '/snapshots') },
          { title: 'Backup units', url: resourceUrl('cloudapi', '/backupunits') },
          { title: 'Templates', url: resourceUrl('cloudapi', '/templates') },
          { title: 'Locations', url: resourceUrl('cloudapi', '/locations') },
          { title: 'Labels', url: resourceUrl('cloudapi', '/labels') },
        ],
      },
    ],
  },
  {
    title: 'Network',
    parts: [
      { title: 'IP blocks', url: resourceUrl('cloudapi', '/ipblocks'), icon: 'network' },
      { title: 'Target groups', url: resourceUrl('cloudapi', '/targetgroups'), icon: 'target' },
      { title: 'Cross connects', url: resourceUrl('cloudapi', '/pccs'), icon: 'connect' },
      {
        title: 'DNS',
        url: resourceUrl('dns', '/zones'),
        icon: 'dns',
        among: 'Zones',
        beside: [
          { title: 'Secondary zones', url: resourceUrl('dns', '/secondaryzones') },
          { title: 'Reverse records', url: resourceUrl('dns', '/reverserecords') },
          { title: 'Records of all zones', url: resourceUrl('dns', '/records') },
        ],
      },
      {
        title: 'Certificates',
        url: resourceUrl('certificates', '/certificates'),
        icon: 'certificate',
        beside: [
          { title: 'Auto certificates', url: resourceUrl('certificates', '/auto-certificates') },
          { title: 'Providers', url: resourceUrl('certificates', '/providers') },
        ],
      },
    ],
  },
  {
    title: 'Data and AI',
    parts: [
      { title: 'Buckets', url: bucketsUrl(), icon: 'bucket', words: 'upload files objects S3' },
      { title: 'Event streams', url: resourceUrl('streaming', '/clusters'), icon: 'stream', words: 'Kafka topics' },
      {
        title: 'Models',
        url: resourceUrl('modelhub', '/models'),
        icon: 'model',
        beside: [{ title: 'Collections', url: resourceUrl('modelhub', '/collections') }],
      },
      { title: 'Playground', url: playgroundUrl(), icon: 'playground' },
    ],
  },
  {
    title: 'Observability',
    parts: [
      { title: 'Monitoring', url: monitoringUrl(), icon: 'monitoring', words: 'metrics charts alerts' },
      { title: 'Logs', url: logsUrl(), icon: 'logs' },
      {
        title: 'Pipelines',
        url: resourceUrl('monitoring', '/pipelines'),
        icon: 'pipeline',
        among: 'Metric pipelines',
        beside: [
          { title: 'Log pipelines', url: resourceUrl('logging', '/pipelines') },
          { title: 'Dashboards', url: resourceUrl('monitoring', '/dashboards') },
          { title: 'Alert rules', url: resourceUrl('monitoring', '/alerting/rules') },
          { title: 'Notification channels', url: resourceUrl('monitoring', '/alerting/channels') },
          { title: 'Central monitoring', url: resourceUrl('monitoring', '/central') },
          { title: 'Central logging', url: resourceUrl('logging', '/central') },
        ],
      },
    ],
  },
  {
    title: 'Access',
    parts: [
      {
        title: 'Users',
        url: resourceUrl('cloudapi', '/um/users'),
        icon: 'users',
        beside: [
          { title: 'Groups', url: resourceUrl('cloudapi', '/um/groups') },
          { title: 'Resources', url: resourceUrl('cloudapi', '/um/resources') },
          { title: 'Contract', url: resourceUrl('cloudapi', '/contracts') },
        ],
      },
      { title: 'Access keys', url: resourceUrl('objectstorage', '/accesskeys'), icon: 'key' },
      {
        title: 'Account',
        url: accountUrl(),
        icon: 'account',
        words: 'password 2FA two-factor second factor authenticator',
      },
      { title: 'Tokens', url: tokensUrl(), icon: 'token' },
    ],
  },
  {
    title: 'Tools',
    parts: [
      { title: 'Lab', url: labUrl(), icon: 'lab' },
      { title: 'API pages', url: docsUrl(), icon: 'api' },
    ],
  },
];

// The pages of the same kind as the one at an address, it among them; none: it stands alone.
export function besideOf(url: string): readonly Omit<Part, 'icon'>[] {
  const part = groups
    .flatMap(({ parts }) => parts)
    .find((one) => [one, ...(one.beside ?? [])].some((page) => page.url === url));
  return part?.beside ? [{ ...part, title: part.among ?? part.title }, ...part.beside] : [];
}
