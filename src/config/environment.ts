// The one home of the process' environment variables.
import { homedir } from 'node:os';
import { delimiter, resolve } from 'node:path';
import { Fault } from '../base/fault.ts';
import { collectorUrl, isPassword, passwordRule, stateAddress } from './setting-values.ts';

export const environment = {
  state: (): string | undefined => {
    const given = process.env.CUMULET_STATE ?? '';
    if (given === '' || given === 'postgres') return undefined; // the bare word is an option of `cumulet test`
    return stateAddress(given, ' in CUMULET_STATE');
  },
  data: (): string | undefined => process.env.CUMULET_DATA || undefined,
  catalogue: (): string | undefined => process.env.CUMULET_CATALOGUE || undefined,
  // OpenTelemetry's own variables. Programs that export by gRPC use them too, with an address that takes only that.
  traces: (): string | undefined => {
    const { env } = process;
    if ((env.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL || env.OTEL_EXPORTER_OTLP_PROTOCOL) === 'grpc') return undefined;
    const { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: ofTraces, OTEL_EXPORTER_OTLP_ENDPOINT: ofAll } = env;
    if (ofTraces) return collectorUrl(ofTraces, ' in OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', true);
    return ofAll ? collectorUrl(ofAll, ' in OTEL_EXPORTER_OTLP_ENDPOINT') : undefined;
  },
  ownerPassword: (): string | undefined => {
    const given = process.env.CUMULET_OWNER_PASSWORD || undefined;
    if (given !== undefined && !isPassword(given))
      throw new Fault('refused', `CUMULET_OWNER_PASSWORD expects ${passwordRule}, not ${given.length}.`);
    return given;
  },
  inferenceKey: (): string | undefined => process.env.CUMULET_INFERENCE_KEY || undefined, // of the upstream
  passphrase: (): string | undefined => process.env.CUMULET_PASSPHRASE || undefined, // of portable backups
  configFolder: (): string => resolve(process.env.XDG_CONFIG_HOME || resolve(homedir(), '.config'), 'cumulet'),
  // For files that can be downloaded again: weights of models and the engine that loads them.
  cacheFolder: (): string => resolve(process.env.XDG_CACHE_HOME || resolve(homedir(), '.cache'), 'cumulet'),
  variables: (): Readonly<Record<string, string | undefined>> => process.env, // all of the shell's, for `env`
  token: (): string | undefined => process.env.IONOS_TOKEN?.trim() || undefined, // of the platform or another region
  isPlain: (): boolean => process.env.NO_COLOR !== undefined || process.env.TERM === 'dumb',
  dockerHost: (): string | undefined => process.env.DOCKER_HOST || undefined,
  programFolders: (): string[] => (process.env.PATH ?? '').split(delimiter).filter(Boolean),
  // As the user typed it; set by the start script. What npx runs is not on the PATH, and its name alone would be looked
  // up in a registry: then it is the path of the package's own program.
  command: (): string =>
    process.env.CUMULET_COMMAND ||
    (process.env.npm_command === 'exec' ? process.env.CUMULET_PACKAGE : undefined) ||
    'cumulet',
  isCheckout: (): boolean => process.env.CUMULET_COMMAND !== undefined,
  wantsDetails: (): boolean => (process.env.CUMULET_DEBUG ?? '') !== '',
};
