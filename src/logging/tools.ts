// The dependencies of decisions about log pipelines.
import type { Seal } from '../base/seal.ts';
import type { AddressSettings } from '../surface/pipelines/addresses.ts';
import type { PipelineNumbers } from '../surface/pipelines/numbers.ts';

export interface LoggingTools {
  logs: { drop(tenant: string): Promise<void> };
  addresses: AddressSettings;
  seal: Seal;
  products: () => string[]; // products that log with central logging enabled
  numbers: PipelineNumbers;
  forward(): { host: string; port: number }; // for agents: of the listener on this machine, once it listens
  forwardHost: string | undefined; // for agents elsewhere, by an option
}
