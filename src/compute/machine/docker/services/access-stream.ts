// Carries the access lines of load balancers from their pipe in the network container to the region. Without a reader
// the pipe fills up, and the proxies drop further lines.
import type { Log } from '../../../../base/log.ts';
import { type Access, accessIn } from '../../../network/linux/balancers/access-line.ts';
import { accessPipe, accessPipeLine } from '../../../network/linux/balancers/proxy-script.ts';
import type { MachineStream } from '../../engine.ts';
import type { DockerApi } from '../api.ts';
import { shellCommand } from '../boot-script.ts';
import { execIn } from '../exec-stream.ts';
import { networkName } from '../names.ts';

export interface AccessStreamTools {
  api: DockerApi;
  region: string;
  log: Log;
}

export class AccessStream {
  readonly #tools: AccessStreamTools;
  readonly #take: (accesses: readonly Access[]) => Promise<void>;
  #stream: MachineStream | undefined;

  constructor(tools: AccessStreamTools, take: (accesses: readonly Access[]) => Promise<void>) {
    this.#tools = tools;
    this.#take = take;
  }

  // Starts the reader unless it runs.
  async open(): Promise<void> {
    if (this.#stream) return;
    const { api, region, log } = this.#tools;
    try {
      const stream = await execIn(api, networkName(region), { command: shellCommand(reader) });
      this.#stream = stream;
      stream.errors.resume();
      void this.#untilEnd(stream);
    } catch (error) {
      log.warn('the access lines of load balancers are not read', { error });
    }
  }

  close(): void {
    const stream = this.#stream;
    this.#stream = undefined;
    stream?.duplex.destroy();
  }

  // The next call of open() starts a reader that has ended.
  async #untilEnd(stream: MachineStream): Promise<void> {
    try {
      let rest = '';
      for await (const chunk of stream.duplex.setEncoding('utf8') as AsyncIterable<string>) {
        const lines = `${rest}${chunk}`.split('\n');
        rest = lines.pop() ?? '';
        await this.#take(lines.flatMap((line) => accessIn(line) ?? []));
      }
    } catch (error) {
      if (this.#stream === stream) this.#tools.log.warn('access lines of load balancers were lost', { error });
    }
    if (this.#stream === stream) this.close();
  }
}

// It ends when the region closes its input, and runs without rights, because clients determine parts of the lines. The
// pipe is open for writing as well, so it has no end while no proxy runs.
const reader = `
${accessPipeLine}
exec 3<>${accessPipe}
exec setpriv --reuid=65534 --regid=65534 --clear-groups --no-new-privs sh -c 'cat <&3 & cat >/dev/null; kill $!'`;
