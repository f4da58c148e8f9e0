// HAProxy with the configuration of the kit in front of the nodes, on free ports.
import { join } from 'node:path';
import { freePort } from '../../../src/testing/free-port.ts';
import { answersAt, Server } from './server.ts';

export interface NodePorts {
  http: number;
  https: number;
  objects: number;
  logs: number;
}

export const portOptions = ({ http, https, objects, logs }: NodePorts): string[] =>
  Object.entries({ port: http, 'https-port': https, 'objects-port': objects, 'logs-port': logs }).flatMap(
    ([name, port]) => [`--${name}`, String(port)],
  );

export async function freeNodePorts(): Promise<NodePorts> {
  return { http: await freePort(), https: await freePort(), objects: await freePort(), logs: await freePort() };
}

export const balancerFile = join(import.meta.dirname, '../../../kit/container/haproxy.cfg');

export class Balancer {
  readonly server: Server;
  readonly ports: NodePorts;

  constructor(program: string, folder: string, ports: NodePorts, nodes: readonly NodePorts[], file = balancerFile) {
    this.ports = ports;
    const env: Record<string, string> = {
      GATEWAY: `127.0.0.1:${ports.http}`,
      HTTPS: `127.0.0.1:${ports.https}`,
      OBJECTS: `127.0.0.1:${ports.objects}`,
      LOGS: `127.0.0.1:${ports.logs}`,
    };
    for (const [at, { http, https, objects, logs }] of nodes.entries()) {
      const name = `NODE${at + 1}`;
      env[name] = '127.0.0.1';
      const own = { PORT: http, HTTPS: https, OBJECTS: objects, LOGS: logs };
      for (const [part, port] of Object.entries(own)) env[`${name}_${part}`] = String(port);
    }
    const isReady = answersAt(`http://127.0.0.1:${ports.http}/ready`);
    this.server = new Server({ name: 'HAProxy', folder, command: [program, '-db', '-f', file], env, isReady });
  }

  get url(): string {
    return `http://127.0.0.1:${this.ports.http}`;
  }
}
