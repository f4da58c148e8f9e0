// The API of alert rules and notification channels as the console uses it. Any client can make these calls.
import { call } from '../../api.ts';
import { refusalOf } from '../../rights/session-rights.ts';
import { query, regionTimeS } from '../prometheus.ts';
import { type Source, type Sources, sourcesOf } from '../sources.ts';

export type AlertState = 'inactive' | 'pending' | 'firing';

export interface ActiveAlert {
  labels: Record<string, string>;
  annotations: Record<string, string>;
  state: AlertState;
  activeAt: string;
  value: string;
}

export interface RuleProperties {
  name: string;
  pipeline: string;
  expression: string;
  comparison: string;
  threshold: number;
  for: string;
  labels: Record<string, string>;
  annotations: Record<string, string>;
  channel: string | null;
}

export interface Rule {
  id: string;
  metadata: { state: AlertState; alerts: ActiveAlert[]; lastError?: string };
  properties: RuleProperties;
}

export interface ChannelProperties {
  name: string;
  type: 'webhook' | 'email';
  url: string;
  takesAll: boolean;
  sendResolved: boolean;
  recipients: string[];
  from: string | null;
  authorization?: string | null;
}

export interface Channel {
  id: string;
  metadata: {
    waiting: number;
    lastError?: string;
    lost?: { at: string; message: string; lost: number };
    secret?: string;
  };
  properties: ChannelProperties;
}

const pathOf = (region: string, kind: 'rules' | 'channels', id?: string): string =>
  `/${region}/monitoring/alerting/${kind}${id === undefined ? '' : `/${id}`}`;

export const ruleRefusal = (region: string, method: string, id?: string): string | undefined =>
  refusalOf({ method, path: pathOf(region, 'rules', id) });

export const channelRefusal = (region: string, method: string, id?: string, action = ''): string | undefined =>
  refusalOf({ method, path: pathOf(region, 'channels', id) + action });

export const listRules = async (region: string, signal: AbortSignal): Promise<Rule[]> =>
  (await call<{ items: Rule[] }>('GET', pathOf(region, 'rules'), { signal })).items;

export const saveRule = (region: string, id: string | undefined, properties: Partial<RuleProperties>): Promise<Rule> =>
  call<Rule>(id === undefined ? 'POST' : 'PUT', pathOf(region, 'rules', id), { body: { properties } });

export const deleteRule = (region: string, id: string): Promise<void> => call('DELETE', pathOf(region, 'rules', id));

export const listChannels = async (region: string, signal?: AbortSignal): Promise<Channel[]> =>
  (await call<{ items: Channel[] }>('GET', pathOf(region, 'channels'), signal && { signal })).items;

export const saveChannel = (
  region: string,
  id: string | undefined,
  properties: Partial<ChannelProperties>,
): Promise<Channel> =>
  call<Channel>(id === undefined ? 'POST' : 'PUT', pathOf(region, 'channels', id), { body: { properties } });

export const deleteChannel = (region: string, id: string): Promise<void> =>
  call('DELETE', pathOf(region, 'channels', id));

export const testChannel = (region: string, id: string): Promise<{ delivered: boolean; detail: string }> =>
  call('POST', `${pathOf(region, 'channels', id)}/test`);

export const newSecret = async (region: string, id: string): Promise<string> =>
  (await call<{ secret: string }>('POST', `${pathOf(region, 'channels', id)}/secret`)).secret;

// Rules from rule files in Prometheus' format.
export interface FileRule {
  source: Source;
  group: string;
  name: string;
  query: string;
  state: AlertState;
  duration: number; // seconds
  health: string;
  lastError?: string;
  alerts: ActiveAlert[];
}

interface RuleGroup {
  name: string;
  file: string;
  rules: Omit<FileRule, 'source' | 'group'>[];
}

const consoleFile = 'console'; // the name of the file with the simple rules

export async function listFileRules(source: Source, signal: AbortSignal): Promise<FileRule[]> {
  const { data } = await query<{ groups: RuleGroup[] }>(source, 'rules', { type: 'alert' }, signal);
  return data.groups
    .filter(({ file }) => file !== consoleFile)
    .flatMap(({ file, name, rules }) => rules.map((rule) => ({ ...rule, source, group: `${file} / ${name}` })));
}

// The data of the alerts page.
export interface Alerting {
  sources: Sources;
  rules: Rule[];
  fileRules: FileRule[];
  channels: Channel[];
  nowMs: number;
}

const mostSources = 100; // whose rule files are shown

export async function loadAlerting(region: string, signal: AbortSignal): Promise<Alerting> {
  const sources = await sourcesOf(region, signal);
  const first = sources.all[0] as Source;
  const [rules, channels, nowS, ...files] = await Promise.all([
    listRules(region, signal),
    listChannels(region, signal),
    regionTimeS(first, signal),
    ...sources.all.slice(0, mostSources).map((source) => listFileRules(source, signal)),
  ]);
  return { sources, rules, channels, fileRules: files.flat(), nowMs: nowS * 1000 };
}
