// The settings of the tool server: options first, then the environment variables that other clients also read.
import { Fault } from '../base/fault.ts';
import type { Access } from './client/connection.ts';
import type { StorageKey } from './client/storage-api.ts';
import { type LoadMode, loadModeOf, loadModes } from './server/load-mode.ts';

export interface AgentSettings {
  mode: LoadMode;
  transport: 'stdio' | 'http';
  host: string;
  port: number;
  access: Access;
  storageKey: StorageKey | undefined;
  notes: string[]; // for the log: what was chosen and why
}

export type Variables = Readonly<Record<string, string | undefined>>;

export interface AgentOptions {
  mode?: string | undefined;
  transport?: string | undefined;
  address?: string | undefined;
  data?: string | undefined; // use the region on this folder instead of the environment
}

export function agentSettings(options: AgentOptions, variables: Variables): AgentSettings {
  const notes: string[] = [];
  const choose = (given: string | undefined, name: string, usual: string): string => {
    const [value, source] = given ? [given, 'option'] : variables[name] ? [variables[name], name] : [usual, 'default'];
    notes.push(`${name.replace('IONOS_MCP_', '').toLowerCase().replaceAll('_', ' ')} ${value} (${source})`);
    return value;
  };
  const defaultMode = variables.IONOS_MCP_EAGER_LOAD === 'false' ? 'lazy' : 'eager';
  const modeWord = choose(options.mode, 'IONOS_MCP_LOAD_MODE', defaultMode);
  const mode = loadModeOf(modeWord);
  if (!mode)
    throw new Fault('refused', `'${modeWord.slice(0, 60)}' is not a load mode. Use one of ${loadModes.join(', ')}.`);
  const transportWord = choose(options.transport, 'IONOS_MCP_TRANSPORT', 'stdio').toLowerCase();
  const transport = transportWord === 'http' ? 'http' : 'stdio';
  if (transportWord !== transport) notes.push(`'${transportWord}' is not a transport; stdio is used`);
  const { IONOS_API_URL: apiUrl, IONOS_TOKEN: token, IONOS_MCP_TOOL_SCOPE: scope } = variables;
  const { IONOS_S3_ACCESS_KEY: accessKey, IONOS_S3_SECRET_KEY: secretKey } = variables;
  notes.push(`scope read-only${scope && scope !== 'read' ? `; IONOS_MCP_TOOL_SCOPE=${scope} has no effect` : ''}`);
  if (options.data !== undefined) notes.push(`API and token come from the region on ${options.data}`);
  else {
    notes.push(`API ${apiUrl || "the platform's own hosts, because IONOS_API_URL is not set"}`);
    if (!token) notes.push('IONOS_TOKEN is not set, so all calls will fail');
  }
  if (!accessKey || !secretKey)
    notes.push("IONOS_S3_ACCESS_KEY or IONOS_S3_SECRET_KEY is not set, so buckets can't be read");
  return {
    mode,
    transport,
    ...addressOf(options.address ?? variables.IONOS_MCP_HTTP_ADDR ?? ':8080'),
    access: { apiUrl: apiUrl?.trim() || undefined, token: token?.trim() || undefined }, // a file ends with a line break
    storageKey: accessKey && secretKey ? { accessKey, secretKey } : undefined,
    notes,
  };
}

// The default host is this machine only, because every client of the port reads with the caller's token.
function addressOf(text: string): { host: string; port: number } {
  const [, host = '', port = ''] = /^(?:\[?([^\]]*?)\]?:)?(\d{1,5})$/.exec(text) ?? [];
  if (port === '' || Number(port) > 65_535)
    throw new Fault(
      'refused',
      `'${text.slice(0, 60)}' is not a valid address to listen on. Use HOST:PORT with a port from 0 to 65535, as in 127.0.0.1:8080.`,
    );
  return { host: host || '127.0.0.1', port: Number(port) };
}
