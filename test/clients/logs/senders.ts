// Agents that follow a file and send its lines, as their own documentation configures them.
import { globSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Agent, startAgent } from '../agents/process.ts';
import { collector, telegraf } from '../agents/programs.ts';
import { type Absent, type Found, find, pythonWith } from '../install.ts';
import { syslogNg } from './programs.ts';

// The target of an agent.
export interface Target {
  tag: string;
  key: string;
  url: string; // httpAddress, by TLS
  forwardPort: number;
  ca: string; // the file of the region's CA
  folder: string; // for the agent's own files
  file: string; // the file that it follows
}

export interface Sender {
  name: string;
  tag: string;
  protocol: 'tcp' | 'http';
  find(): Promise<Found | Absent>;
  start(program: string, target: Target): Agent;
}

const python = async (): Promise<Found | Absent> => {
  const found = find('CUMULET_PYTHON', 'python3');
  return found.path ? { path: await pythonWith(found.path, 'fluent-logger') } : found;
};

export const senders: readonly Sender[] = [
  {
    name: 'fluent-logger of Python, by the forward protocol',
    tag: 'python',
    protocol: 'tcp',
    find: python,
    start(program, { tag, key, forwardPort: port, ca, file }) {
      const env = { CLIENT_SETTINGS: JSON.stringify({ tag, key, port, ca, file }), PYTHONDONTWRITEBYTECODE: '1' };
      return startAgent([program, join(import.meta.dirname, 'python-fluent/follow.py')], env);
    },
  },
  {
    name: 'syslog-ng, by HTTP with JSON',
    tag: 'syslogng',
    protocol: 'http',
    find: syslogNg,
    start(program, target) {
      const { folder } = target;
      const settings = join(folder, 'syslog-ng.conf');
      writeFileSync(settings, syslogNgSettings(target));
      const own = ['persist', 'pid', 'ctl'].map((name) => join(folder, `syslog-ng.${name}`));
      const files = [`--persist-file=${own[0]}`, `--pidfile=${own[1]}`, `--control=${own[2]}`];
      const [modules] = globSync('usr/lib/syslog-ng/*/', { cwd: dirname(program) });
      const places = modules === undefined ? [] : [`--module-path=${join(dirname(program), modules)}`];
      return startAgent([program, '--foreground', '--no-caps', `--cfgfile=${settings}`, ...files, ...places]);
    },
  },
  {
    name: "OpenTelemetry's collector, by OTLP with protobuf",
    tag: 'collector',
    protocol: 'http',
    find: collector,
    start(program, target) {
      const file = join(target.folder, 'collector.yml');
      writeFileSync(file, collectorSettings(target));
      return startAgent([program, `--config=${file}`]);
    },
  },
  {
    name: 'Telegraf, by the push API of Loki',
    tag: 'telegraf',
    protocol: 'http',
    find: telegraf,
    start(program, target) {
      const file = join(target.folder, 'telegraf.conf');
      writeFileSync(file, telegrafSettings(target));
      return startAgent([program, file]);
    },
  },
];

const syslogNgSettings = ({ tag, key, url, ca, file, folder }: Target): string => `@version: 3.38
options { stats-freq(0); };
source lines { file("${file}" follow-freq(0.1) flags(no-parse)); };
destination region {
  http(
    url("${url}/${tag}")
    method("POST")
    headers("APIKEY: ${key}", "Content-Type: application/json")
    body("$(format-json line=$MESSAGE)")
    body-prefix("[") delimiter(",") body-suffix("]")
    batch-lines(50) batch-timeout(100)
    time-reopen(1) retries(100)
    tls(ca-file("${ca}"))
    disk-buffer(reliable(yes) disk-buf-size(4194304) mem-buf-size(1048576) dir("${folder}"))
  );
};
log { source(lines); destination(region); };
`;

const collectorSettings = ({ tag, key, url, ca, file }: Target): string => `receivers:
  lines:
    file: ${file}
    tag: ${tag}
exporters:
  otlphttp:
    endpoint: ${url}
    headers:
      APIKEY: ${key}
    tls:
      ca_file: ${ca}
    retry_on_failure:
      initial_interval: 200ms
      max_interval: 1s
service:
  pipelines:
    logs:
      receivers: [lines]
      exporters: [otlphttp]
  telemetry:
    metrics:
      level: none
`;

const telegrafSettings = ({ tag, key, url, ca, file }: Target): string => `[agent]
  interval = "200ms"
  flush_interval = "200ms"
[[inputs.tail]]
  files = ["${file}"]
  from_beginning = true
  watch_method = "poll"
  data_format = "value"
  data_type = "string"
  [inputs.tail.tags]
    tag = "${tag}"
[[outputs.loki]]
  domain = "${url}"
  username = "telegraf"
  password = "${key}"
  tls_ca = "${ca}"
`;
