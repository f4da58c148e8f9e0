// Installs or builds on the first run what the tests need. `./cumulet test` does this before the tests begin, so that
// it does not count against their time limits; a test that is started alone does it itself.
import { join } from 'node:path';
import { isFull } from '../../src/testing/seed.ts';
import { browserProgram } from '../harness/browser.ts';
import { dockerParts } from '../harness/machines/docker-engine.ts';
import { inspector, pythonMcp } from './agent/programs.ts';
import {
  collector,
  prometheus,
  prometheus3,
  promtool3,
  telegraf,
  victoriaMetrics,
  vmagent,
} from './agents/programs.ts';
import { pebble } from './certificates/programs.ts';
import { actionlint } from './ci/programs.ts';
import { makeBase } from './container/image.ts';
import { containerPrograms, helm } from './container/programs.ts';
import { checkZone, dig, kdig, named } from './dns/programs.ts';
import { llamaPeer } from './inference/llama-server.ts';
import { smollm2 } from './inference/weights.ts';
import { cache, find, firstNode, goProgram, nodeOf, npmPackages, pythonWith } from './install.ts';
import { logcli, loki, syslogNg, victoriaLogs } from './logs/programs.ts';
import { dockerMachine, packer } from './machines/programs.ts';
import { awsCli, minio, minioClient, rclone, s3cmd } from './storage/programs.ts';
import { apacheKafka, franzGo, javaClient, kcat, pythonClient, streamsClient } from './streaming/programs.ts';

export interface Build {
  what: string;
  needs: RegExp; // the test files that need it
  make: () => Promise<unknown>;
}

const python = find('CUMULET_PYTHON', 'python3').path;
const go = find('CUMULET_GO', 'go').path;
const goSdk = join(import.meta.dirname, 'sdk/go');
const goCompose = join(import.meta.dirname, 'container/go-compose');

async function containerBase(): Promise<void> {
  const programs = await containerPrograms();
  if (!('skip' in programs)) await makeBase(programs);
}

export const builds: readonly Build[] = [
  { what: `Node ${firstNode}`, needs: /cli\/launcher/, make: () => nodeOf(firstNode) },
  { what: 'the Go SDK', needs: /sdk\/go/, make: async () => go && goProgram(go, goSdk) },
  { what: 'the Python SDK', needs: /sdk\/python/, make: async () => python && pythonWith(python, 'ionoscloud') },
  { what: 'schemathesis', needs: /schemathesis/, make: async () => python && pythonWith(python, 'schemathesis') },
  { what: 'a mail server', needs: /alerts\/mail/, make: async () => python && pythonWith(python, 'aiosmtpd') },
  { what: 'prometheus_client', needs: /agents\//, make: async () => python && pythonWith(python, 'prometheus_client') },
  { what: 'aws-cli', needs: /storage\/commands/, make: awsCli },
  { what: 'rclone', needs: /storage\/commands/, make: rclone },
  { what: 's3cmd', needs: /storage\/commands/, make: s3cmd },
  { what: 'mc', needs: /storage\/commands/, make: minioClient },
  { what: 'MinIO', needs: /storage\/minio|crash\/outside/, make: async () => isFull && minio() },
  { what: 'boto3', needs: /storage\/boto3/, make: async () => python && pythonWith(python, 'boto3') },
  { what: 'Prometheus 2', needs: /agents\/|differential|remote-engine|crash\/outside/, make: prometheus },
  { what: 'Prometheus 3', needs: /agents\/|differential/, make: prometheus3 },
  { what: 'promtool 3', needs: /agents\/|own-metrics|promtool/, make: promtool3 },
  { what: 'VictoriaMetrics', needs: /remote-engine|clients\/balancer/, make: victoriaMetrics },
  { what: 'vmagent', needs: /agents\//, make: vmagent },
  { what: "OpenTelemetry's collector", needs: /agents\//, make: collector },
  { what: 'Telegraf', needs: /agents\//, make: telegraf },
  { what: 'VictoriaLogs', needs: /logging\/remote-engine/, make: victoriaLogs },
  { what: 'Loki', needs: /logging\/remote-engine|logql\/differential/, make: loki },
  { what: 'Loki', needs: /crash\/outside/, make: async () => isFull && loki() },
  { what: 'fluent-logger', needs: /logs\/agents/, make: async () => python && pythonWith(python, 'fluent-logger') },
  { what: 'syslog-ng', needs: /logs\/agents/, make: syslogNg },
  { what: 'logcli', needs: /logcli/, make: logcli },
  { what: "BIND's programs", needs: /clients\/dns/, make: () => Promise.all([named(), dig(), checkZone()]) },
  { what: 'kdig', needs: /clients\/dns/, make: kdig },
  { what: 'Pebble', needs: /clients\/certificates/, make: pebble },
  { what: 'kcat', needs: /clients\/streaming|streaming\/kcat|docker-services/, make: kcat },
  { what: 'confluent-kafka', needs: /clients\/streaming/, make: () => pythonClient('confluent-kafka') },
  { what: 'aiokafka', needs: /clients\/streaming/, make: () => pythonClient('aiokafka[lz4,snappy,zstd]') },
  { what: 'franz-go', needs: /clients\/streaming/, make: franzGo },
  { what: 'Apache Kafka', needs: /streaming\/apache|clients\/streaming/, make: apacheKafka },
  { what: 'Apache Kafka', needs: /(?:streaming|crash)\/outside/, make: async () => isFull && apacheKafka() },
  { what: "Apache Kafka's client", needs: /clients\/streaming/, make: javaClient },
  { what: 'Kafka Streams', needs: /clients\/streaming\/streams/, make: streamsClient },
  { what: 'SmolLM2', needs: /inference\/smollm2/, make: smollm2 },
  { what: "llama.cpp's server", needs: /inference\/llama-server/, make: async () => isFull && llamaPeer() },
  {
    what: "OpenAI's Python client",
    needs: /inference\/python/,
    make: async () => python && pythonWith(python, 'openai'),
  },
  { what: 'LangChain', needs: /inference\/python/, make: async () => python && pythonWith(python, 'langchain-openai') },
  { what: 'vitest', needs: /clients\/kit/, make: () => npmPackages('vitest') },
  { what: 'jest', needs: /clients\/kit/, make: () => npmPackages('jest') },
  { what: 'openapi-typescript', needs: /clients\/openapi/, make: () => npmPackages('openapi-typescript') },
  { what: 'compose-go', needs: /container\/files/, make: async () => go && goProgram(go, goCompose) },
  { what: 'Helm', needs: /container\/helm/, make: helm },
  { what: 'actionlint', needs: /clients\/ci\//, make: actionlint },
  {
    what: 'the base of the image',
    needs: /container\/container/,
    make: async () => isFull && containerBase(),
  },
  {
    what: 'kubernetes-validate',
    needs: /container\/(?:files|helm)/,
    make: async () => python && pythonWith(python, 'kubernetes-validate'),
  },
  { what: 'pytest', needs: /clients\/kit/, make: async () => python && pythonWith(python, 'pytest') },
  { what: 'the MCP Inspector', needs: /clients\/agent/, make: inspector },
  { what: "MCP's Python client", needs: /clients\/agent/, make: pythonMcp },
  {
    what: 'a Docker Engine and a Debian image',
    needs: /compute\/docker-|autoscaling\/docker-|clients\/machines/,
    make: dockerParts,
  },
  { what: 'Packer', needs: /machines\/by-address/, make: packer },
  { what: "Rancher's docker-machine", needs: /machines\/by-address/, make: dockerMachine },
  { what: 'Ansible', needs: /machines\/ansible/, make: async () => python && pythonWith(python, 'ansible-core') },
  { what: 'Chromium', needs: /browser/, make: browserProgram },
];

const quickMs = 1000; // existing results are not worth a line
const againMs = 30_000;

// One after another, because most of them use all cores. A failed build is reported here and by the tests that need it.
export async function buildFor(
  files: string[],
  print: (line: string) => void,
  every: readonly Build[] = builds,
): Promise<void> {
  for (const { what, make } of every.filter((one) => files.some((file) => one.needs.test(file)))) {
    const began = performance.now();
    const seconds = (): string => `${((performance.now() - began) / 1000).toFixed(1)} s`;
    const begun = setTimeout(() => print(`building ${what}, once for this machine, in ${cache} …`), quickMs);
    const going = setInterval(() => print(`still building ${what} (${seconds()})`), againMs);
    const failed = await make().then(
      () => undefined,
      (error: Error) => error,
    );
    clearTimeout(begun);
    clearInterval(going);
    if (failed) print(`${what} could not be built (${seconds()}): ${failed.message}`);
    else if (performance.now() - began > quickMs) print(`${what} is ready (${seconds()})`);
  }
}
