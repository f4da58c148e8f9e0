// A proxy between a client and a region: it forwards every request unchanged and records it.
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Recorded {
  method: string;
  path: string;
  bodyBytes: number;
}

export interface Recorder {
  url: string;
  requests: Recorded[];
  close(): Promise<void>;
}

export async function recorderOf(target: string): Promise<Recorder> {
  const requests: Recorded[] = [];
  const { hostname, port } = new URL(target);
  const server = createServer((req, res) => {
    const recorded = { method: req.method ?? '', path: req.url ?? '', bodyBytes: 0 };
    requests.push(recorded);
    const { method, url: path, headers } = req;
    const sent = request({ hostname, port, method, path, headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(res);
    });
    sent.on('error', () => res.destroy());
    req.on('data', (piece: Buffer) => {
      recorded.bodyBytes += piece.length;
    });
    req.pipe(sent);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
