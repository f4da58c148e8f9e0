// The files of the container kit and of CI, read by the programs that use them.
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse, parseAllDocuments } from 'yaml';
import { limits } from '../../../src/testing/limits.ts';
import { isFull } from '../../../src/testing/seed.ts';
import { find, goProgram, pythonWith } from '../install.ts';
import { mustRun, run, workFolder } from '../run.ts';

const root = join(import.meta.dirname, '../../..');
const kit = join(root, 'kit/container');
const python = find('CUMULET_PYTHON', 'python3');
const go = find('CUMULET_GO', 'go');

test('compose-go accepts the Compose file: two nodes on PostgreSQL', { skip: go.skip ?? false }, async () => {
  const program = await goProgram(String(go.path), join(import.meta.dirname, 'go-compose'));
  const file = join(kit, 'compose.yaml');
  const { stdout } = await mustRun([program, file], { env: { CUMULET_OWNER_PASSWORD: 'Secret-1' } });
  const { services } = JSON.parse(stdout) as { services: Record<string, Service> };
  assert.deepEqual(Object.keys(services).sort(), ['first', 'second', 'state']);
  for (const node of [services.first, services.second]) {
    assert.equal(node?.environment?.CUMULET_STATE, 'postgres://cumulet:cumulet@state/cumulet');
    assert.equal(node?.build?.dockerfile, 'kit/container/Containerfile');
    assert.equal(node?.depends_on?.state?.condition, 'service_healthy');
  }
  const without = await run([program, file], { env: { CUMULET_OWNER_PASSWORD: '' } });
  assert.notEqual(without.code, 0);
  assert.match(without.stderr, /the password of the first owner/);
});

const outsidePasswords = {
  CUMULET_OWNER_PASSWORD: 'Secret-1',
  STATE_PASSWORD: 'Secret-2',
  OBJECTS_PASSWORD: 'Secret-3',
};
const optionsOfUp = readFileSync(join(root, 'bin/help.txt'), 'utf8');

test('compose-go accepts the Compose file with all engines outside; the nodes know all settings', {
  skip: go.skip ?? false,
}, async () => {
  const program = await goProgram(String(go.path), join(import.meta.dirname, 'go-compose'));
  const { stdout } = await mustRun([program, join(kit, 'compose-outside.yaml')], { env: outsidePasswords });
  const { services, configs } = JSON.parse(stdout) as {
    services: Record<string, Service>;
    configs: Record<'region' | 'brokers' | 'metrics' | 'logs', { content: string }>;
  };
  const settings = JSON.parse(configs.region.content) as Record<string, unknown>;
  for (const name of Object.keys(settings)) assert.ok(optionsOfUp.includes(`--${name}`), name);
  const stopS = Number(settings.drain) + Number(settings['stop-limit']);
  const balancer = readFileSync(join(kit, 'haproxy.cfg'), 'utf8');
  for (const name of ['node1', 'node2', 'node3']) {
    const node = services[name];
    assert.equal(node?.environment?.CUMULET_STATE, 'postgres://cumulet:Secret-2@state/cumulet');
    assert.ok(seconds(node?.stop_grace_period) > stopS);
    const variable = name.toUpperCase();
    assert.ok(balancer.includes(`server ${name} "\${${variable}-${name}}:\${${variable}_PORT-7070}" check`), name);
  }
  const hosts = [...Object.values(settings), configs.brokers.content].flatMap((value) => [
    ...String(value).matchAll(/(?:[/@,])([a-z0-9-]+):\d+/g),
  ]);
  for (const [, host = ''] of hosts) assert.ok(host === 'localhost' || services[host], host);
  const manifests = parseAllDocuments(readFileSync(join(kit, 'kubernetes-outside.yaml'), 'utf8')).map((one) =>
    one.toJS(),
  );
  for (const name of ['metrics', 'logs'] as const) {
    const map = manifests.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === name);
    const inCompose = configs[name].content.replaceAll('/loki', '/data');
    assert.deepEqual(parse(map.data[`${name}.yaml`]), parse(inCompose), `${name} has the same settings in both files`);
  }
});

// 5m20s, as compose-go writes it.
const seconds = (text = ''): number => {
  const [, minutes = '0', rest = '0'] = /^(?:(\d+)m)?(?:(\d+)s)?$/.exec(text) ?? [];
  return 60 * Number(minutes) + Number(rest);
};

const openssl = find('CUMULET_OPENSSL', 'openssl');

test('the script creates a CA and certificates of brokers', { skip: openssl.skip ?? false }, async (t) => {
  const folder = join(workFolder(t), 'kafka');
  const script = ['sh', join(kit, 'kafka-certificates.sh'), folder, 'kafka-1', 'kafka-2'];
  await mustRun(script);
  const at = (name: string): string => join(folder, name);
  const files = ['ca.pem', 'ca-key.pem', 'broker.pem'].map((name) => readFileSync(at(name), 'utf8'));
  await mustRun(script);
  assert.deepEqual(
    ['ca.pem', 'ca-key.pem', 'broker.pem'].map((name) => readFileSync(at(name), 'utf8')),
    files,
    'existing files stay',
  );
  const checked = new X509Certificate(String(files[2]).slice(String(files[2]).indexOf('-----BEGIN CERTIFICATE')));
  assert.ok(checked.checkIssued(new X509Certificate(String(files[0]))));
  assert.deepEqual([checked.subject, checked.checkHost('kafka-2')], ['CN=cumulet-broker', 'kafka-2']);
});

test('compose-go accepts the Compose file with real machines, and demands the group of the socket', {
  skip: go.skip ?? false,
}, async () => {
  const program = await goProgram(String(go.path), join(import.meta.dirname, 'go-compose'));
  const file = join(kit, 'compose-machines.yaml');
  const { stdout } = await mustRun([program, file], { env: { DOCKER_GROUP: '998' } });
  const { region } = (JSON.parse(stdout) as { services: Record<string, Service> }).services;
  assert.deepEqual(region?.group_add, ['998']);
  assert.equal(region?.build?.dockerfile, 'kit/container/Containerfile');
  const without = await run([program, file], { env: { DOCKER_GROUP: '' } });
  assert.notEqual(without.code, 0);
  assert.match(without.stderr, /the group of the socket/);
});

interface Service {
  group_add?: string[];
  stop_grace_period?: string;
  environment?: Record<string, string>;
  build?: { dockerfile: string };
  depends_on?: Record<string, { condition: string }>;
}

test("the manifests match Kubernetes' schemas", { skip: python.skip ?? false }, async (t) => {
  const interpreter = await pythonWith(String(python.path), 'kubernetes-validate');
  const folder = workFolder(t);
  const text = readFileSync(join(kit, 'kubernetes.yaml'), 'utf8');
  const outside = readFileSync(join(kit, 'kubernetes-outside.yaml'), 'utf8');
  const check = (...files: string[]) => run([interpreter, '-m', 'kubernetes_validate', '--strict', ...files]);
  const files = [...parseAllDocuments(text), ...parseAllDocuments(outside)].map((document, at) => {
    const file = join(folder, `${at}.yaml`);
    writeFileSync(file, String(document));
    return file;
  });
  const { code, stdout, stderr } = await check(...files);
  assert.equal(code, 0, `${stdout}${stderr}`);
  const wrong = join(folder, 'wrong.yaml');
  writeFileSync(wrong, String(parseAllDocuments(text)[1]).replace('serviceName', 'servicename'));
  assert.notEqual((await check(wrong)).code, 0, 'it finds nothing');
});

test('the manifests with all engines outside give a node time to drain, and know all its options', () => {
  const documents = parseAllDocuments(readFileSync(join(kit, 'kubernetes-outside.yaml'), 'utf8')).map((one) =>
    one.toJS(),
  );
  const set = documents.find(({ kind, metadata }) => kind === 'StatefulSet' && metadata.name === 'cumulet');
  const { terminationGracePeriodSeconds, containers } = set.spec.template.spec;
  const [, ...args] = containers[0].args as string[];
  const options = new Map(args.map((arg) => /^--([a-z-]+)=(.*)$/.exec(arg)?.slice(1) as [string, string]));
  for (const name of options.keys()) assert.ok(optionsOfUp.includes(`--${name}`), name);
  assert.ok(terminationGracePeriodSeconds > Number(options.get('drain')) + Number(options.get('stop-limit')));
  const { readinessProbe, livenessProbe } = containers[0];
  assert.deepEqual([readinessProbe.httpGet.path, livenessProbe.httpGet.path], ['/ready', '/health']);
  const budget = documents.find(({ kind, metadata }) => kind === 'PodDisruptionBudget' && metadata.name === 'cumulet');
  assert.equal(budget.spec.minAvailable, set.spec.replicas - 1);
  const brokers = documents.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === 'brokers');
  const services = documents.filter(({ kind }) => kind === 'Service').map(({ metadata }) => metadata.name as string);
  for (const [, host = ''] of [...options.values(), brokers.data['brokers.list']]
    .join(' ')
    .matchAll(/[/@,](?:[a-z0-9-]+\.)?([a-z]+):\d+/g))
    assert.ok(services.includes(host), host);
});

test('the image, the manifests and the Compose file agree on ports, the volume and the user', () => {
  const image = readFileSync(join(kit, 'Containerfile'), 'utf8');
  const [service, set] = parseAllDocuments(readFileSync(join(kit, 'kubernetes.yaml'), 'utf8')).map((one) => one.toJS());
  const exposed = /^EXPOSE (.*)$/m.exec(image)?.[1]?.split(' ') ?? [];
  for (const { port, protocol } of service.spec.ports as { port: number; protocol?: string }[])
    assert.ok(exposed.includes(protocol ? `${port}/${protocol.toLowerCase()}` : `${port}`), `${port}`);
  const [container] = set.spec.template.spec.containers;
  assert.deepEqual(container.volumeMounts, [{ name: 'data', mountPath: /^VOLUME (.*)$/m.exec(image)?.[1] }]);
  assert.equal(set.spec.template.spec.securityContext.runAsUser, 1000); // the user node of Node's images
});

test('the action and the GitLab template are YAML, and start a region, wait for it and configure clients', () => {
  const action = parse(readFileSync(join(root, 'action.yml'), 'utf8')) as {
    runs: { using: string; steps: { run?: string; uses?: string; if?: string }[] };
  };
  const script = action.runs.steps.map((step) => step.run ?? '').join('\n');
  const template = parse(readFileSync(join(root, 'kit/ci/gitlab.yml'), 'utf8')) as { '.cumulet': Template };
  const { before_script, artifacts } = template['.cumulet'];
  for (const text of [script, before_script.join('\n')])
    for (const command of ['cumulet up --detach', 'cumulet wait', 'cumulet env']) assert.ok(text.includes(command));
  assert.deepEqual(artifacts, { when: 'on_failure', paths: ['.cumulet/cumulet.log'] });
});

// Replaces npm: it would install this checkout.
const npm = `#!/bin/sh
while [ "$1" != --prefix ]; do shift; done
mkdir -p "$2/node_modules/.bin"
printf '#!/bin/sh\\nexec "%s" "%s" "$@"\\n' "$NODE" "$MAIN" > "$2/node_modules/.bin/cumulet"
chmod +x "$2/node_modules/.bin/cumulet"
`;

test("the action's script starts a region, and configures later steps; if it does not start, the log is shown", async (t) => {
  const folder = workFolder(t);
  mkdirSync(join(folder, 'bin'));
  writeFileSync(join(folder, 'bin/npm'), npm, { mode: 0o755 });
  const programs = { NODE: process.execPath, MAIN: join(root, 'bin/start.cjs') };
  const env = { ...programs, PATH: `${join(folder, 'bin')}:${process.env.PATH}` };
  const refused = await runAction(folder, 'wrong', { ...env, PACKAGE: 'cumulet', ARGS: '--port x' });
  assert.notEqual(refused.code, 0);
  assert.match(refused.stderr, /--port/);
  assert.match(refused.output, /^log=.*cumulet\.log$/m);
  await startsByAction(folder, { ...env, PACKAGE: 'cumulet', ARGS: '--port 0' });
});

test('the same from the npm package', {
  skip: isFull ? false : '--full makes and installs the package',
}, async (t) => {
  const folder = workFolder(t);
  await mustRun(['npm', 'pack', '--silent', '--pack-destination', folder], { cwd: root, limitMs: limits.install });
  const [tarball = ''] = globSync('*.tgz', { cwd: folder });
  await startsByAction(folder, { PACKAGE: `./${tarball}`, ARGS: '--port 0' });
});

// Runs the script of its only step as GitHub does, and returns its outputs.
async function runAction(folder: string, name: string, given: Record<string, string>) {
  const [set, output, path] = ['env', 'output', 'path'].map((one) => join(folder, `${name}.${one}`)) as [
    string,
    string,
    string,
  ];
  const { steps } = (parse(readFileSync(join(root, 'action.yml'), 'utf8')) as { runs: { steps: { run: string }[] } })
    .runs;
  const data = join(folder, `${name}-data`);
  const runner = { RUNNER_TEMP: folder, GITHUB_ENV: set, GITHUB_OUTPUT: output, GITHUB_PATH: path };
  const env = { SEED: '', PROXY: 'true', CUMULET_DATA: data, ...given, ...runner };
  const end = await run(['bash', '-c', steps[0]?.run ?? ''], { cwd: folder, env, limitMs: limits.install });
  return { ...end, data, set: readFileSync(set, 'utf8'), output: readFileSync(output, 'utf8') };
}

async function startsByAction(folder: string, given: Record<string, string>): Promise<void> {
  const { code, stderr, set, output, data } = await runAction(folder, 'good', given);
  try {
    assert.equal(code, 0, stderr);
    for (const name of ['CUMULET_DATA', 'HTTPS_PROXY', 'IONOS_TOKEN', 'SSL_CERT_FILE'])
      assert.match(set, new RegExp(`^${name}=.`, 'm'));
    assert.match(set, /^NO_PROXY=.*,\.githubusercontent\.com/m); // the log is uploaded past the region
    assert.equal((await fetch(`${/^url=(.*)$/m.exec(output)?.[1]}/health`)).status, 200);
    assert.ok(existsSync(/^log=(.*)$/m.exec(output)?.[1] ?? ''));
  } finally {
    await run([join(folder, 'cumulet-program/node_modules/.bin/cumulet'), 'down'], {
      env: { ...given, CUMULET_DATA: data },
    });
  }
}

interface Template {
  before_script: string[];
  artifacts: object;
}
