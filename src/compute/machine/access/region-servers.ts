// The servers of a running region for commands that enter them: found by name or id, and reached by a WebSocket.
import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import { createWebSocketStream, WebSocket } from 'ws';
import { Fault } from '../../../base/fault.ts';
import type { Host, Option } from '../../../command/command.ts';

export const loginUser = 'root';
export const identityOption: Option = {
  name: 'identity',
  short: 'i',
  takes: 'FILE',
  help: 'the private key; its public key is in sshKeys of the boot volume',
};

export interface RegionServer {
  id: string;
  name: string;
  path: string; // of the API, below the gateway
}

interface Listed {
  id: string;
  properties: { name: string };
  entities?: { servers?: { items?: Listed[] } };
}

export class RegionServers {
  readonly #gateway: string;
  readonly #token: string;

  private constructor(gateway: string, token: string) {
    this.#gateway = gateway;
    this.#token = token;
  }

  static async of(host: Host, data: string): Promise<RegionServers> {
    const { gateway, token } = await host.access(data);
    return new RegionServers(gateway, token);
  }

  async list(): Promise<RegionServer[]> {
    const front = '/cloudapi/v6/datacenters';
    const answer = await fetch(`${this.#gateway}${front}?depth=3`, { headers: this.#headers });
    if (!answer.ok) throw new Fault('refused', `The region answers ${answer.status} to GET ${front}.`);
    const { items } = (await answer.json()) as { items: Listed[] };
    return items.flatMap((datacenter) =>
      (datacenter.entities?.servers?.items ?? []).map(({ id, properties: { name } }) => ({
        id,
        name,
        path: `${front}/${datacenter.id}/servers/${id}`,
      })),
    );
  }

  async find(wanted: string): Promise<RegionServer> {
    const all = await this.list();
    const found = all.filter(({ id, name }) => id === wanted || name === wanted);
    const [first] = found;
    if (!first) throw new Fault('missing', `No server has the name or id '${wanted}'.${namesOf(all)}`);
    if (found.length === 1) return first;
    const ids = found.map(({ id }) => id).join(', ');
    throw new Fault('refused', `${found.length} servers have the name '${wanted}'. Use an id: ${ids}`);
  }

  // Refuses a server that accepts no connections, before anything listens. A plain GET answers with that reason, or
  // else that the address accepts only WebSockets.
  async demandReachable(server: RegionServer, at: string): Promise<void> {
    const answer = await fetch(`${this.#gateway}${server.path}/${at}`, { headers: this.#headers });
    const refused = refusal(answer.status, await answer.text());
    if (refused.detail.code !== onlyWebSockets) throw refused;
  }

  // `at` is the end of the address: ssh, ports/80.
  async connect(server: RegionServer, at: string): Promise<Duplex> {
    const address = `${this.#gateway.replace(/^http/, 'ws')}${server.path}/${at}`;
    const socket = new WebSocket(address, { headers: this.#headers, perMessageDeflate: false });
    const refused = new Promise<never>((_, reject) => {
      socket.once('unexpected-response', async (_request, answer) => {
        const parts = await answer.toArray();
        reject(refusal(answer.statusCode ?? 0, Buffer.concat(parts).toString()));
        socket.terminate();
      });
      socket.on('error', reject); // also what happens after the refusal
    });
    await Promise.race([once(socket, 'open'), refused]);
    const stream = createWebSocketStream(socket);
    socket.once('close', (code, reason) => {
      if (code !== normalClosure && reason.length > 0) stream.destroy(new Fault('refused', reason.toString()));
    });
    return stream;
  }

  get #headers(): Record<string, string> {
    return { authorization: `Bearer ${this.#token}` };
  }
}

const normalClosure = 1000;
const onlyWebSockets = '100';
const mostNames = 10;

function namesOf(servers: readonly RegionServer[]): string {
  const names = [...new Set(servers.map(({ name }) => name))];
  if (names.length === 0) return ' The region has no servers.';
  return ` The region has: ${names.slice(0, mostNames).join(', ')}${names.length > mostNames ? ', …' : ''}`;
}

function refusal(status: number, body: string): Fault {
  const unknown = `The region answers ${status}.`;
  try {
    const { messages } = JSON.parse(body) as { messages?: { message: string; errorCode: string }[] };
    const [first] = messages ?? [];
    return new Fault('refused', first?.message ?? unknown, first && { code: first.errorCode });
  } catch {
    return new Fault('refused', unknown); // not JSON: a proxy in between
  }
}
