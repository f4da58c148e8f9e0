// A wire to a PostgreSQL server that a test can cut at will, before a request arrives or before its answer does, or
// hold up.
import { connect, createServer, type Socket } from 'node:net';

export interface Cutter {
  url: string;
  cutRequest(): Promise<() => void>; // the next COMMIT is held; the returned function releases it
  cutAnswer(): Promise<void>; // the answer to the next COMMIT is lost; resolves when it is
  refuse(yes: boolean): void; // new connections are closed at once
  freeze(yes: boolean): void; // connections stay open, but no bytes pass while it is frozen
  holdCommits(from: () => Promise<boolean>): () => void; // until the returned function is called; reads are not held
  close(): void;
}

export async function openCutter(url: string): Promise<Cutter> {
  const target = new URL(url);
  const { port, hostname } = target;
  const open = new Set<Socket>();
  let onRequest: ((release: () => void) => void) | undefined;
  let onAnswer: (() => void) | undefined;
  let refused = false;
  let holds: (() => Promise<boolean>) | undefined;
  const heldCommits: (() => void)[] = [];
  let frozen: (() => void)[] | undefined;
  const pass = (go: () => void): void => void (frozen ? frozen.push(go) : go());
  const server = createServer((client) => {
    if (refused) return void client.destroy();
    const upstream = connect(Number(port), hostname);
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => open.delete(socket));
    }
    let held = false;
    let hasCommitted = false;
    client.on('data', (bytes) => {
      const isCommit = bytes.includes('commit\0'); // the name of the statement
      if (isCommit) hasCommitted = true;
      if (isCommit && holds) {
        client.pause();
        const go = (): void => {
          upstream.write(bytes);
          client.resume();
        };
        void holds().then((yes) => (yes && holds ? heldCommits.push(go) : go()));
        return;
      }
      if (!onRequest || !isCommit) return pass(() => upstream.write(bytes));
      held = true;
      const tell = onRequest;
      onRequest = undefined;
      client.destroy();
      tell(() => upstream.end(bytes));
    });
    upstream.on('data', (bytes) => {
      if (!onAnswer || !hasCommitted) {
        hasCommitted = false;
        return pass(() => client.write(bytes));
      }
      const tell = onAnswer;
      onAnswer = undefined;
      client.destroy();
      upstream.destroy();
      tell();
    });
    client.on('close', () => held || upstream.destroy());
    upstream.on('close', () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  target.port = String((server.address() as { port: number }).port);
  return {
    url: target.href,
    cutRequest: () =>
      new Promise((resolve) => {
        onRequest = resolve;
      }),
    cutAnswer: () =>
      new Promise((resolve) => {
        onAnswer = resolve;
      }),
    refuse: (yes) => {
      refused = yes;
    },
    freeze: (yes) => {
      const waiting = frozen ?? [];
      frozen = yes ? waiting : undefined;
      if (!yes) for (const go of waiting) go();
    },
    holdCommits: (from) => {
      holds = from;
      return () => {
        holds = undefined;
        for (const go of heldCommits.splice(0)) go();
      };
    },
    close: () => {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
}
