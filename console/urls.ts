// Functions for all addresses of the console, so that no link leads to a page that does not exist.

export const root = '/console';

export const overviewUrl = (): string => root;
export const accountUrl = (): string => `${root}/account`;
export const tokensUrl = (): string => `${root}/tokens`;
export const chartsUrl = (region: string): string => `${root}/monitoring/${region}`;
export const alertsUrl = (region: string): string => `${root}/monitoring/${region}/alerts`;
export const requestsUrl = (): string => `${root}/requests`;
export const requestUrl = (id: string): string => `${root}/requests/${id}`;
export const activityUrl = (query: Readonly<Record<string, string>> = {}): string => {
  const search = new URLSearchParams(query).toString();
  return `${root}/activity${search && `?${search}`}`;
};
export const limitsUrl = (): string => `${root}/limits`;
export const costsUrl = (): string => `${root}/costs`;
export const designUrl = (): string => `${root}/design`;
export const labUrl = (part?: string): string => (part === undefined ? `${root}/lab` : `${root}/lab/${part}`);
export const logsUrl = (region?: string): string => `${root}/logging${region === undefined ? '' : `/${region}`}`;
export const docsUrl = (service?: string, operation?: string): string =>
  ['/docs', service && `/${service}`, operation && `#${operation}`].filter(Boolean).join('');

export const expressionUrl = (region: string, pipeline: string, expression: string): string =>
  `${chartsUrl(region)}?${new URLSearchParams({ pipeline, expr: expression })}`;

// The services with resources, by the names of their API pages.
export type ServiceName =
  | 'cloudapi'
  | 'autoscaling'
  | 'monitoring'
  | 'logging'
  | 'objectstorage'
  | 'dns'
  | 'certificates'
  | 'streaming'
  | 'modelhub';

// The page of a resource or collection, by its service and API path: resourceUrl('cloudapi', '/datacenters/D').
export const resourceUrl = (service: ServiceName, path: string, query: Record<string, string> = {}): string => {
  const search = new URLSearchParams(query).toString();
  return `${root}/resources/${service}${path}${search && `?${search}`}`;
};

export const bucketsUrl = (): string => `${root}/buckets`;
export const bucketUrl = (bucket: string, query: Record<string, string> = {}): string =>
  withQuery(`${bucketsUrl()}/${encodeURIComponent(bucket)}`, query);
// Without a version, the page of the latest version.
export const objectUrl = (bucket: string, key: string, version = ''): string =>
  withQuery(`${bucketsUrl()}/${encodeURIComponent(bucket)}/object`, { key, version });

function withQuery(path: string, query: Record<string, string>): string {
  const search = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== '')).toString();
  return `${path}${search && `?${search}`}`;
}
