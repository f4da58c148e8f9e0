// The Helm chart: rendered by Helm, compared with the manifests of the kit, and checked with Kubernetes' schemas.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { find, pythonWith } from '../install.ts';
import { mustRun, run, workFolder } from '../run.ts';
import { helm } from './programs.ts';

const root = join(import.meta.dirname, '../../..');
const chart = join(root, 'kit/helm/cumulet');
const outsideValues = join(root, 'kit/helm/values-outside.yaml');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
const python = find('CUMULET_PYTHON', 'python3');
const { path: program = '', skip = false } = await helm();

interface Resource<Spec = object> {
  kind: string;
  metadata: { name: string };
  spec: Spec;
  data?: Record<string, string>;
}

type Labels = Record<string, string>;

interface Selecting {
  selector: { matchLabels?: Labels };
}

interface NodesSpec {
  selector?: object;
  template: {
    metadata: { labels?: Labels };
    spec: {
      terminationGracePeriodSeconds: number;
      topologySpreadConstraints: { whenUnsatisfiable: string; labelSelector?: object }[];
      containers: [{ args: string[]; image: string; env: { name: string; value?: string; valueFrom?: object }[] }];
      volumes: { name: string; configMap?: { name: string } }[];
    };
  };
}

interface IngressSpec {
  rules: { host: string; http: { paths: [{ backend: { service: { port: { name: string } } } }] } }[];
}

const resourcesOf = (text: string): Resource[] =>
  parseAllDocuments(text)
    .map((one) => one.toJS())
    .filter((one) => one !== null);

function template(t: TestContext, values: object, ...more: string[]) {
  const folder = workFolder(t);
  const file = join(folder, 'values.yaml');
  writeFileSync(file, stringify(values));
  const command = [program, 'template', 'cumulet', chart, '--kube-version', '1.37.0'];
  return run([...command, '--values', outsideValues, '--values', file, ...more], { env: { HOME: folder } });
}

async function rendered(t: TestContext, values: object): Promise<Resource[]> {
  const { code, stdout, stderr } = await template(t, values);
  assert.equal(code, 0, stderr);
  return resourcesOf(stdout);
}

function only<Spec = object>(resources: Resource[], kind: string, name = 'cumulet'): Resource<Spec> {
  const found = resources.find((one) => one.kind === kind && one.metadata.name === name);
  assert.ok(found, `${kind} ${name}`);
  return found as Resource<Spec>;
}

// The specification of the nodes without labels, whose names differ, and with variables in one order.
function nodesOf(resources: Resource[], brokers: string): NodesSpec {
  const spec = structuredClone(only<NodesSpec>(resources, 'StatefulSet').spec);
  const { metadata, spec: pod } = spec.template;
  delete spec.selector;
  delete metadata.labels;
  for (const one of pod.topologySpreadConstraints) delete one.labelSelector;
  const [{ env }] = pod.containers;
  const names = env.map(({ name }) => name);
  for (const [at, { value = '' }] of env.entries())
    for (const [, used = ''] of value.matchAll(/\$\((\w+)\)/g))
      assert.ok(names.slice(0, at).includes(used), `${used} is defined before its use`);
  env.sort((a, b) => (a.name < b.name ? -1 : 1));
  const list = pod.volumes.find(({ name }) => name === 'brokers')?.configMap;
  assert.equal(list?.name, brokers);
  pod.volumes = pod.volumes.filter(({ name }) => name !== 'brokers');
  return spec;
}

const brokersOf = (resources: Resource[], name: string): string | undefined =>
  only(resources, 'ConfigMap', name).data?.['brokers.list'];

test('with the engines of kubernetes-outside.yaml, the chart renders the nodes of that file', { skip }, async (t) => {
  const file = resourcesOf(readFileSync(join(root, 'kit/container/kubernetes-outside.yaml'), 'utf8'));
  const ofChart = await rendered(t, {});
  assert.deepEqual(nodesOf(ofChart, 'cumulet-brokers'), nodesOf(file, 'brokers'));
  assert.equal(brokersOf(ofChart, 'cumulet-brokers'), brokersOf(file, 'brokers'));
  for (const kind of ['Service', 'PodDisruptionBudget']) {
    const { selector, ...spec } = only<Selecting>(ofChart, kind).spec;
    const { selector: _, ...expected } = only<Selecting>(file, kind).spec;
    assert.deepEqual(spec, expected, kind);
    const { labels } = only<NodesSpec>(ofChart, 'StatefulSet').spec.template.metadata;
    assert.deepEqual(selector.matchLabels ?? selector, labels, `${kind} selects the nodes`);
  }
});

const everything = {
  image: { repository: 'registry.example/cumulet', tag: '', pullPolicy: 'IfNotPresent' },
  imagePullSecrets: [{ name: 'registry' }],
  replicas: 5,
  secret: {
    name: 'region',
    files: ['region.key', 'one.pem', 'one-key.pem'],
    environment: { CUMULET_INFERENCE_KEY: 'k' },
  },
  stateUrl: '',
  engines: {
    logs: 'victorialogs+https://logs.example',
    kafka: [
      'kafka://k1.example:9093?ca=/secrets/one.pem&ca-key=/secrets/one-key.pem',
      'kafka://k2.example:9093?ca=/secrets/one.pem&ca-key=/secrets/one-key.pem',
    ],
  },
  publicUrl: 'https://cloud.example',
  objectsPublicUrl: 'https://s3.cloud.example',
  logsPublicAddress: ':24224',
  tracesUrl: 'http://collector.example:4318',
  options: { domain: 'cloud.example', 'rate-limit': 1_000_000, 'no-lab': true },
  drainSeconds: 10,
  stopLimitSeconds: 600,
  affinity: { nodeAffinity: {} },
  nodeSelector: { zone: 'one' },
  tolerations: [{ key: 'cloud', operator: 'Exists' }],
  priorityClassName: 'high',
  service: { type: 'ClusterIP', annotations: { owner: 'cloud' } },
  spread: { whenUnsatisfiable: 'DoNotSchedule' },
  ingress: {
    enabled: true,
    className: 'nginx',
    gatewayHosts: ['cloud.example'],
    objectsHosts: ['s3.cloud.example', '*.s3.cloud.example'],
    tls: [{ secretName: 'certificate', hosts: ['cloud.example'] }],
  },
};

test('all values reach the nodes, the Service and the Ingress', { skip }, async (t) => {
  const resources = await rendered(t, everything);
  const { spec } = only<NodesSpec>(resources, 'StatefulSet');
  const pod = spec.template.spec;
  const [{ args, env, image }] = pod.containers;
  const help = readFileSync(join(root, 'bin/help.txt'), 'utf8');
  for (const arg of args.slice(1)) assert.ok(help.includes(`  ${arg.split('=')[0]} `), arg);
  for (const arg of [
    '--public-url=https://cloud.example',
    '--objects-public-url=https://s3.cloud.example',
    '--logs-public-address=:24224',
    '--traces=http://collector.example:4318',
    '--logs=victorialogs+https://logs.example',
    '--domain=cloud.example',
    '--rate-limit=1000000',
    '--no-lab',
  ])
    assert.ok(args.includes(arg), `${arg} in ${args.join(' ')}`);
  assert.equal(image, `registry.example/cumulet:${version}`);
  const state = env.find(({ name }) => name === 'CUMULET_STATE');
  assert.deepEqual(state?.valueFrom, { secretKeyRef: { name: 'region', key: 'state-url' } });
  assert.equal(pod.terminationGracePeriodSeconds, 625);
  assert.equal(pod.topologySpreadConstraints[0]?.whenUnsatisfiable, 'DoNotSchedule');
  assert.equal(only<{ minAvailable: number }>(resources, 'PodDisruptionBudget').spec.minAvailable, 4);
  assert.equal(only<{ type: string }>(resources, 'Service').spec.type, 'ClusterIP');
  assert.equal(brokersOf(resources, 'cumulet-brokers'), `${everything.engines.kafka.join('\n')}\n`);
  const { rules } = only<IngressSpec>(resources, 'Ingress').spec;
  assert.deepEqual(
    rules.map(({ host, http }) => [host, http.paths[0].backend.service.port.name]),
    [
      ['cloud.example', 'gateway'],
      ['s3.cloud.example', 's3'],
      ['*.s3.cloud.example', 's3'],
    ],
  );
  const without = await rendered(t, { podDisruptionBudget: { enabled: false } });
  assert.deepEqual(without.map(({ kind }) => kind).sort(), ['ConfigMap', 'Service', 'StatefulSet']);
});

test('helm lint accepts the chart without values and with all of them', { skip }, async (t) => {
  const folder = workFolder(t);
  const file = join(folder, 'values.yaml');
  writeFileSync(file, stringify(everything));
  const lint = [program, 'lint', chart, '--strict', '--kube-version', '1.37.0'];
  const env = { HOME: folder };
  await mustRun(lint, { env });
  await mustRun([...lint, '--values', outsideValues, '--values', file], { env });
});

test("all that the chart renders matches Kubernetes' schemas", {
  skip: skip || (python.skip ?? false),
}, async (t) => {
  const interpreter = await pythonWith(String(python.path), 'kubernetes-validate');
  const folder = workFolder(t);
  const resources = [...(await rendered(t, {})), ...(await rendered(t, everything))];
  const files = resources.map((resource, at) => {
    const file = join(folder, `${at}.yaml`);
    writeFileSync(file, stringify(resource));
    return file;
  });
  await mustRun([interpreter, '-m', 'kubernetes_validate', '--strict', ...files]);
});

const wrong: [values: object, message: RegExp][] = [
  [{ secret: { name: '' } }, /secret\.name is not set\. Set the name of an existing Secret/],
  [{ secret: { files: ['ca.pem', 'ca-key.pem'] } }, /secret\.files does not contain region\.key/],
  [{ secret: { environment: { CUMULET_STATE: 'url' } } }, /Set secret\.stateUrlKey instead/],
  [{ stateUrl: 'sqlite:/data' }, /stateUrl.*does not match pattern '\^\$\|\^postgres/],
  [{ stateUrl: 'postgres://a:$(MISSING)@b/c' }, /An address uses \$\(MISSING\), but secret\.environment/],
  [{ engines: { metrics: '' } }, /engines\.metrics is not set\. Set the address of Prometheus/],
  [{ engines: { logs: '' } }, /engines\.logs is not set/],
  [{ engines: { objects: '' } }, /engines\.objects is not set/],
  [{ engines: { metrics: 'embedded' } }, /engines\/metrics.*'embedded' does not match/],
  [{ engines: { kafka: [] } }, /engines\.kafka is empty\. Add the address of a Kafka cluster/],
  [{ engines: { kafka: ['kafka://k:9093?ca=/secrets/two.pem'] } }, /secret\.files does not contain two\.pem/],
  [{ engines: { metric: 'x' } }, /engines.*additional properties 'metric' not allowed/],
  [{ replicas: 0 }, /replicas.*minimum: got 0, want 1/],
  [{ replicas: '3' }, /replicas.*got string, want integer/],
  [{ drainSeconds: 0 }, /drainSeconds.*minimum/],
  [{ publicUrl: 'cloud.example' }, /publicUrl.*'cloud\.example' does not match pattern/],
  [{ logsPublicAddress: 'logs.cloud.example' }, /logsPublicAddress.*does not match pattern/],
  [{ options: { drain: 9 } }, /options\.drain is not allowed\. The chart sets it/],
  [{ options: { port: 80 } }, /options\.port is not allowed\. The ports of the pods are fixed/],
  [{ options: { 'no-lab': false } }, /no-lab/],
  [{ ingress: { enabled: true } }, /ingress\.gatewayHosts is empty\. Add the host of publicUrl/],
  [{ ingress: { objectsHosts: ['s3.example'] } }, /ingress\.objectsHosts needs objectsPublicUrl/],
];

test('wrong values are refused with their place and the remedy', { skip }, async (t) => {
  for (const [values, message] of wrong) {
    const { code, stderr } = await template(t, values);
    assert.notEqual(code, 0, JSON.stringify(values));
    assert.match(stderr, message);
  }
});

test('the chart has the version of the program', () => {
  const { version: ofChart, appVersion } = parse(readFileSync(join(chart, 'Chart.yaml'), 'utf8')) as Record<
    string,
    string
  >;
  assert.deepEqual([ofChart, appVersion], [version, version]);
});
