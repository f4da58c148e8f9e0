// The Node SDK for this suite: settings in the environment, one line of JSON per check on standard output.
import {
  ApplicationLoadBalancersApi,
  BackupUnitsApi,
  Configuration,
  ContractResourcesApi,
  DataCentersApi,
  FirewallRulesApi,
  FlowLogsApi,
  ImagesApi,
  IPBlocksApi,
  LANsApi,
  LabelsApi,
  LoadBalancersApi,
  LocationsApi,
  NATGatewaysApi,
  NetworkInterfacesApi,
  NetworkLoadBalancersApi,
  PrivateCrossConnectsApi,
  RequestsApi,
  SecurityGroupsApi,
  ServersApi,
  SnapshotsApi,
  TargetGroupsApi,
  TemplatesApi,
  UserManagementApi,
  UserS3KeysApi,
  VolumesApi,
  waitForRequest,
} from '@ionos-cloud/sdk-nodejs';

interface Settings {
  url?: string;
  token: string;
  tag: string;
  sections: string[];
}

export interface Answer<T = unknown> {
  status: number;
  headers: Record<string, string>;
  data: T;
}

export type Parts = Record<string, unknown>;

export const settings = JSON.parse(process.env.CLIENT_SETTINGS ?? '{}') as Settings;
export const { tag } = settings;

const maxWaitMs = 10; // before each call, even the first: the SDK would wait for a second

// Without a url, the SDK's own host is used; the proxy comes from HTTPS_PROXY.
export function connect(credentials: { apiKey: string } | { username: string; password: string }) {
  const configuration = new Configuration({ ...credentials, ...(settings.url && { basePath: settings.url }) });
  configuration.setMaxWaitTime(maxWaitMs);
  return {
    configuration,
    datacenters: new DataCentersApi(configuration),
    lans: new LANsApi(configuration),
    blocks: new IPBlocksApi(configuration),
    labels: new LabelsApi(configuration),
    locations: new LocationsApi(configuration),
    contracts: new ContractResourcesApi(configuration),
    requests: new RequestsApi(configuration),
    management: new UserManagementApi(configuration),
    keys: new UserS3KeysApi(configuration),
    servers: new ServersApi(configuration),
    volumes: new VolumesApi(configuration),
    snapshots: new SnapshotsApi(configuration),
    images: new ImagesApi(configuration),
    templates: new TemplatesApi(configuration),
    nics: new NetworkInterfacesApi(configuration),
    rules: new FirewallRulesApi(configuration),
    flowLogs: new FlowLogsApi(configuration),
    securityGroups: new SecurityGroupsApi(configuration),
    pccs: new PrivateCrossConnectsApi(configuration),
    backupUnits: new BackupUnitsApi(configuration),
    classic: new LoadBalancersApi(configuration),
    network: new NetworkLoadBalancersApi(configuration),
    application: new ApplicationLoadBalancersApi(configuration),
    targetGroups: new TargetGroupsApi(configuration),
    gateways: new NATGatewaysApi(configuration),
  };
}

export const client = connect({ apiKey: settings.token });

// The answer to a change, after its request has ended.
export async function accepted<T>(answer: Promise<Answer<T>>, { configuration } = client): Promise<Changed<T>> {
  const { status, headers, data } = await answer;
  const location = String(headers.location);
  const ended = await waitForRequest(configuration, location);
  const { metadata } = ended.data as { metadata: { status: string; message: string } };
  if (metadata.status !== 'DONE') throw new Error(`${location} is ${metadata.status}: ${metadata.message}`);
  return { status, location, body: data };
}

interface Changed<T> extends Parts {
  status: number;
  location: string;
  body: T;
}

export async function answered<T>(answer: Promise<Answer<T>>): Promise<Parts> {
  const { status, headers, data } = await answer;
  return { status, location: headers.location ?? null, body: data };
}

export const read = async <T>(answer: Promise<Answer<T>>): Promise<T> => (await answer).data;

export async function refused(answer: Promise<Answer>): Promise<Parts> {
  try {
    await answer;
  } catch (error) {
    const { response } = error as { response?: Answer };
    if (!response) throw error;
    return { status: response.status, body: response.data };
  }
  throw new Error('the call was not refused');
}

// Awaits all parts at once.
export async function all(parts: Record<string, Promise<unknown>>): Promise<Parts> {
  const names = Object.keys(parts);
  const values = await Promise.all(Object.values(parts));
  return Object.fromEntries(names.map((name, at) => [name, values[at]]));
}

export function report(check: string, ...parts: Parts[]): void {
  tell({ check, seen: Object.assign({}, ...parts) as Parts });
}

// Sections run side by side; a broken one reports it and does not affect the others.
export async function run(sections: Record<string, () => Promise<void>>): Promise<void> {
  await Promise.all(
    Object.entries(sections)
      .filter(([name]) => settings.sections.includes(name))
      .map(async ([name, section]) => {
        try {
          await section();
        } catch (error) {
          const { data } = (error as { response?: Answer }).response ?? {};
          tell({ broken: name, why: `${(error as Error).stack}\n${JSON.stringify(data ?? null)}` });
        }
      }),
  );
}

function tell(line: Parts): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

// The id of a new resource; the SDK's models say that it may be absent.
export function idOf({ body }: { body: { id?: string } }): string {
  if (!body.id) throw new Error('the answer has no id');
  return body.id;
}

// Typed as a Map, but the SDK sends nothing of a Map, because it uses Object.entries.
export const filters = (wanted: Record<string, string>): Map<string, string> =>
  wanted as unknown as Map<string, string>;
