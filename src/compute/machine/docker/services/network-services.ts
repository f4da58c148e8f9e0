// Name resolution and the region's own services for machines, at one address of the network container. The region
// may listen where no container can connect to, so it opens the relay inside the container.
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Log } from '../../../../base/log.ts';
import type { CoreShell } from '../../../network/linux/linux-network.ts';
import { servicesAddress } from '../../../network/linux/unit.ts';
import type { MachineStream } from '../../engine.ts';
import type { RegionServices } from '../../region-services.ts';
import type { DockerApi } from '../api.ts';
import { shellCommand } from '../boot-script.ts';
import { execIn } from '../exec-stream.ts';
import { networkName } from '../names.ts';
import { RegionRelay } from './region-relay.ts';
import { relayScript } from './relay-script.ts';

export interface NetworkServicesTools {
  api: DockerApi;
  region: string;
  services?: RegionServices;
  log: Log;
}

const webPorts = ['80', '443'];
const brokerPorts = 100;
const limitMs = 10_000; // for a connection to the region

export class NetworkServices {
  readonly #tools: NetworkServicesTools;
  readonly #shell: CoreShell;
  #stream: MachineStream | undefined;

  constructor(tools: NetworkServicesTools, shell: CoreShell) {
    this.#tools = tools;
    this.#shell = shell;
  }

  // Starts both unless they run.
  async open(): Promise<void> {
    try {
      await this.#start();
    } catch (error) {
      this.#tools.log.warn('name resolution and the services of the region did not start for machines', { error });
    }
  }

  async #start(): Promise<void> {
    const { api, region, services } = this.#tools;
    if (!services || this.#stream) return;
    await this.#shell(prepare);
    const brokers = services.brokers();
    const domains = brokers ? [...services.domains, brokers.host] : services.domains;
    const ports = brokers ? Array.from({ length: brokerPorts }, (_, at) => String(brokers.port + at)) : [];
    const stream = await execIn(api, networkName(region), {
      user,
      command: [...shellCommand(start(domains)), 'services', relayScript, servicesAddress, ...webPorts, ...ports],
    });
    this.#stream = stream;
    const relay = new RegionRelay(stream.duplex, (port) => {
      const socket = connect({ ...services.place(port), allowHalfOpen: true });
      socket.setTimeout(limitMs, () => socket.destroy());
      return socket.once('connect', () => socket.setTimeout(0));
    });
    void this.#untilEnd(relay, stream);
  }

  // The next call of open() starts a relay that has ended.
  async #untilEnd(relay: RegionRelay, stream: MachineStream): Promise<void> {
    const problem = text(stream.errors).catch(() => '');
    await relay.run().catch(() => undefined);
    if (this.#stream !== stream) return;
    this.#stream = undefined;
    const why = (await problem).trim().slice(-500);
    this.#tools.log.warn('the relay to the services of the region has ended and starts again', { why });
  }

  close(): void {
    const stream = this.#stream;
    this.#stream = undefined;
    stream?.duplex.destroy();
  }
}

// Machines send bytes to the resolver and to the relay, so they run without rights, unlike all else in the container.
const user = '65534:65534';
const folder = '/run/names';
const prepare = `
mkdir -p -m 777 ${folder}
echo 53 > /proc/sys/net/ipv4/ip_unprivileged_port_start`;

// The resolver keeps running without the region. It starts again when the domains have changed.
const start = (domains: readonly string[]): string => `
cd ${folder}
cat > new <<'END'
no-hosts
no-poll
bind-interfaces
listen-address=${servicesAddress}
pid-file=${folder}/pid
cache-size=1000
${domains.map((domain) => `address=/${domain}/${servicesAddress}\nlocal=/${domain}/`).join('\n')}
END
pid=$(cat pid 2>/dev/null)
if [ -z "$pid" ] || [ "$(cat /proc/$pid/comm 2>/dev/null)" != dnsmasq ] || ! cmp -s new conf; then
  [ -z "$pid" ] || kill "$pid" 2>/dev/null
  mv new conf
  setpriv --no-new-privs dnsmasq --conf-file=${folder}/conf </dev/null >/dev/null || echo "the resolver did not start" >&2
fi
exec setpriv --no-new-privs python3 -c "$@"`;
