// The proxy from outside: unmodified clients reach the region by the hosts built into them, and no client reaches any
// other host.
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { promisify } from 'node:util';
import { cache, notBuilt } from '../clients/install.ts';
import { type Region, startRegion } from '../harness/region.ts';
import { openShell } from '../harness/shell.ts';

const goClient = join(cache, 'go-http-client-1/client');
let region: Region;
const shell = openShell();
before(async () => {
  region = await startRegion();
});
after(async () => {
  await region.stop();
  shell[Symbol.dispose]();
});

const has = (program: string): boolean => {
  try {
    execFileSync('sh', ['-c', `command -v ${program}`], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};
const unless = (program: string): string | false => (has(program) ? false : `${program} is not on the PATH`);

// Runs a client in a shell that was set up by `env --proxy`; it prints the status and the body of /contracts.
async function reaches(client: string, more: Record<string, string> = {}): Promise<void> {
  const url = 'https://api.ionos.com/cloudapi/v6/contracts';
  const script = `eval "$(cumulet env --proxy --data "$DATA")"; URL=${url}; export URL; ${client}`;
  const { code, stdout, stderr } = await shell.run(script, { DATA: region.data, ...more });
  assert.equal(code, 0, `${stdout}${stderr}`);
  const [status, ...body] = stdout.split('\n');
  assert.equal(status, '200', stdout);
  const { items } = JSON.parse(body.join('\n')) as { items: { properties: { contractNumber: number } }[] };
  assert.equal(items[0]?.properties.contractNumber, region.contract);
}

// `ionosctl login` reads the index, and then the servers of each API.
test('[GEN-02] by the proxy, the REST API pages list the APIs with their addresses', async () => {
  const fetched = async (path: string): Promise<{ status: number; body: string }> => {
    const script = `eval "$(cumulet env --proxy --data "$DATA")"; '${process.execPath}' --input-type=module -e '
      const answer = await fetch(process.env.URL);
      console.log(answer.status + " " + (await answer.text()));'`;
    const { code, stdout, stderr } = await shell.run(script, { DATA: region.data, URL: `https://${path}` });
    assert.equal(code, 0, stderr);
    return { status: Number(stdout.slice(0, 3)), body: stdout.slice(4) };
  };
  const host = 'ionos-cloud.github.io';
  const index = await fetched(`${host}/rest-api/private-index.json`);
  const { pages } = JSON.parse(index.body) as { pages: Record<string, string>[] };
  const names = pages.map(({ name }) => name).sort();
  assert.deepEqual(names, [
    ...['authentication', 'certificatemanager', 'cloud', 'dns', 'kafka', 'logging', 'object-storage-management'],
    ...['observability-monitoring', 'vmautoscaling'],
  ]);
  const serversOf = async (name: string): Promise<string[]> => {
    const page = pages.find((one) => one.name === name);
    assert.equal(page?.visibility, 'public');
    const document = JSON.parse((await fetched(`${host}${page?.spec}`)).body) as { servers: { url: string }[] };
    return document.servers.map(({ url }) => url);
  };
  assert.deepEqual(await serversOf('cloud'), ['https://api.ionos.com/cloudapi/v6']);
  assert.ok((await serversOf('logging')).includes('https://logging.de-txl.ionos.com'));
  assert.equal((await fetched(`${host}/rest-api/docs/other.json`)).status, 404);
  const connected = await shell.run('curl -sS -x "$REGION" "https://other.github.io/" 2>&1', { REGION: region.url });
  assert.match(connected.stdout, /403/, 'other names next to it are refused');
});

suite('with env --proxy and no endpoint setting, the region is reached by', () => {
  test('curl [GEN-02] [GEN-03]', { skip: unless('curl') }, () =>
    reaches(`
      curl -sS -w "%{http_code}\\n" -o "$HOME/body" -H "Authorization: Bearer $IONOS_TOKEN" "$URL"
      cat "$HOME/body"`),
  );

  test('fetch of Node', () =>
    reaches(`'${process.execPath}' --input-type=module -e '
      const { URL: url, IONOS_TOKEN } = process.env;
      const answer = await fetch(url, { headers: { authorization: "Bearer " + IONOS_TOKEN } });
      console.log(answer.status + "\\n" + (await answer.text()));'`));

  test('a CONNECT and TLS through it, in Node', () =>
    reaches(`'${process.execPath}' --input-type=module -e '
      import { get, request } from "node:http";
      import { connect } from "node:tls";
      const { URL: url, IONOS_TOKEN, HTTPS_PROXY } = process.env;
      const { hostname, port } = new URL(HTTPS_PROXY);
      const call = request({ hostname, port, method: "CONNECT", path: "api.ionos.com:443" }).end();
      call.on("connect", (_, socket) => {
        const secure = connect({ socket, servername: "api.ionos.com" }, () => {
          const headers = { host: "api.ionos.com", authorization: "Bearer " + IONOS_TOKEN, connection: "close" };
          get({ createConnection: () => secure, path: new URL(url).pathname, headers }, async (answer) => {
            let body = "";
            for await (const chunk of answer) body += chunk;
            console.log(answer.statusCode + "\\n" + body);
          });
        });
      });'`));

  test('urllib of Python', { skip: unless('python3') }, () =>
    reaches(`python3 -c '
import os, urllib.request
call = urllib.request.Request(os.environ["URL"], headers={"Authorization": "Bearer " + os.environ["IONOS_TOKEN"]})
with urllib.request.urlopen(call) as answer:
    print(answer.status)
    print(answer.read().decode())'`),
  );

  const isBuilt = (): boolean => existsSync(goClient);
  test('net/http of Go', { skip: isBuilt() ? false : (notBuilt?.skip ?? unless('go')) }, async () => {
    if (!isBuilt()) await buildGoClient();
    await reaches(`'${goClient}'`);
  });
});

test('without our roots, no client takes us for the platform', { skip: unless('curl') }, async () => {
  const call = 'curl -sS --proxy "$PROXY" https://api.ionos.com/cloudapi/v6/';
  const { code, stderr } = await shell.run(call, { PROXY: region.proxy });
  assert.equal(code, 60, stderr);
});

// Sends the first line of a request to the proxy, and returns the first line and the body of its answer.
async function answerTo(line: string): Promise<{ status: number; body: string }> {
  const { port, hostname } = new URL(region.proxy);
  const socket = connect(Number(port), hostname);
  const token = `Authorization: Bearer ${region.token}`;
  socket.write(`${line} HTTP/1.1\r\nHost: ${line.split(' ')[1]}\r\n${token}\r\nConnection: close\r\n\r\n`);
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    // An open tunnel waits for the client's hello and would never end.
    if (/^HTTP\/1\.1 200 Connection/.test(text)) socket.destroy();
  });
  await once(socket, 'close');
  return { status: Number(text.split(' ')[1]), body: text.slice(text.indexOf('\r\n\r\n') + 4) };
}

suite('anything else is refused before it is routed', () => {
  const secret = createServer();
  let met = 0;
  before(async () => {
    secret.on('connection', (socket) => {
      met++;
      socket.destroy();
    });
    secret.listen(0, '127.0.0.1');
    await once(secret, 'listening');
  });
  after(() => secret.close());

  test('names, ports and addresses, by CONNECT [GEN-04]', async () => {
    const own = [region.url, region.https].map((url) => new URL(url).port);
    const other = (secret.address() as AddressInfo).port;
    const targets = [
      ...[
        'example.com:443',
        'ionos.com:443',
        'www.ionos.com:443',
        'api.ionos.com.example.com:443',
        'xapi.ionos.com:443',
      ],
      ...['api.ionos.com:80', 'api.ionos.com:22', 'api.ionos.com:7070', 'api.ionos.com'],
      ...[
        '127.0.0.1:443',
        'localhost:443',
        '[::1]:443',
        '0.0.0.0:443',
        '127.1:443',
        '2130706433:443',
        '0x7f000001:443',
      ],
      ...['169.254.169.254:443', '169.254.169.254:80', '[::ffff:127.0.0.1]:443', 'user@api.ionos.com:443'],
      ...[...own, other].flatMap((port) => [`127.0.0.1:${port}`, `localhost:${port}`, `api.ionos.com:${port}`]),
    ];
    for (const target of targets) {
      const { status, body } = await answerTo(`CONNECT ${target}`);
      assert.equal(status, 403, `${target}: ${status} ${body}`);
      const { httpStatus, messages } = JSON.parse(body) as { httpStatus: number; messages: { message: string }[] };
      assert.equal(httpStatus, 403);
      assert.match(messages[0]?.message ?? '', /serves the platform's own names/);
    }
    assert.equal((await answerTo('CONNECT api.ionos.com:443')).status, 200);
    assert.equal(met, 0, 'no host was called');
  });

  test('absolute forms, even of hosts that are served by path', async () => {
    const other = (secret.address() as AddressInfo).port;
    const { host } = new URL(region.url);
    const targets = [
      ...['http://example.com/', 'http://169.254.169.254/latest/meta-data/', `http://127.0.0.1:${other}/`],
      ...[`http://${host}/health`, `http://${host}/cloudapi/v6/datacenters`, 'http://localhost/health'],
      ...['http://api.ionos.com:8080/', 'http://api.ionos.com@example.com/', 'ftp://api.ionos.com/'],
    ];
    for (const target of targets) {
      const { status, body } = await answerTo(`GET ${target}`);
      assert.equal(status, 403, `${target}: ${status} ${body}`);
    }
    assert.equal((await answerTo('GET http://api.ionos.com/cloudapi/v6/datacenters')).status, 200);
    assert.equal(met, 0, 'no host was called');
  });
});

const program = `package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
)

func main() {
	call, _ := http.NewRequest("GET", os.Getenv("URL"), nil)
	call.Header.Set("Authorization", "Bearer "+os.Getenv("IONOS_TOKEN"))
	answer, err := http.DefaultClient.Do(call)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	body, _ := io.ReadAll(answer.Body)
	fmt.Printf("%d\\n%s\\n", answer.StatusCode, body)
}
`;

// The build takes 40 s of the processor. A plain run uses what an earlier run has built.
async function buildGoClient(): Promise<void> {
  mkdirSync(dirname(goClient), { recursive: true });
  const source = mkdtempSync(join(tmpdir(), 'cumulet-go-'));
  try {
    writeFileSync(join(source, 'main.go'), program);
    const env = { ...process.env, CGO_ENABLED: '0', GOFLAGS: '', GOWORK: 'off' };
    await promisify(execFile)('go', ['build', '-o', `${goClient}.${process.pid}`, 'main.go'], { cwd: source, env });
    renameSync(`${goClient}.${process.pid}`, goClient);
  } finally {
    rmSync(source, { recursive: true, force: true });
  }
}
