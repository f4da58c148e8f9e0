// The configuration of HAProxy for one load balancer: a frontend for each forwarding rule, and a backend for each pool
// of targets that the rule forwards to. Names: `<rule>` and `<rule>.<target group>`.
import type { HttpHealthCheck } from '../../spec.ts';
import type {
  ApplicationBalancer,
  ApplicationListener,
  NetworkBalancer,
  NetworkListener,
  Pool,
  Target,
} from '../../topology/endpoint.ts';
import { accessFormat } from './access-line.ts';
import { literal, word } from './haproxy-text.ts';
import { httpRuleLines } from './proxy-http-rules.ts';

export interface CertificateText {
  chain: string; // PEM
  key: string; // PEM
}

export type Certificates = ReadonlyMap<string, CertificateText>;

export const configFile = 'haproxy.cfg';

const usual = { clientTimeout: 50_000, connectTimeout: 5000, targetTimeout: 50_000, retries: 3, interval: 2000 };
const maxFiles = 65_536; // two for each connection

// The files of the proxy by their names in its folder. Undefined: nothing listens.
export function proxyFiles(
  balancer: NetworkBalancer | ApplicationBalancer,
  folder: string,
  certificates: Certificates,
): Record<string, string> | undefined {
  const files: Record<string, string> = {};
  const sections =
    balancer.kind === 'networkloadbalancer'
      ? [...balancer.rules.values()].flatMap((one) => networkSections(balancer, one))
      : [...balancer.rules.values()].flatMap((one) => {
          const own = one.rule.serverCertificates ?? [];
          const known = own.filter((id) => certificates.has(id));
          if (own.length > 0 && known.length === 0) return []; // it must not answer without encryption
          for (const id of known) files[`${id}.pem`] = pemOf(certificates.get(id));
          const list = known.length === 0 ? undefined : `${one.id}.list`;
          if (list !== undefined) files[list] = known.map((id) => `${folder}/${id}.pem\n`).join('');
          return applicationSections(balancer, one, list && `${folder}/${list}`);
        });
  if (sections.length === 0) return undefined;
  return { ...files, [configFile]: `${[...head(balancer, folder), ...sections].join('\n')}\n` };
}

const pemOf = (text: CertificateText | undefined): string => `${text?.chain.trim()}\n${text?.key.trim()}\n`;

function head({ isLogged }: NetworkBalancer | ApplicationBalancer, folder: string): string[] {
  return [
    'global',
    `stats socket ${folder}/statistics mode 600 level user`,
    `fd-hard-limit ${maxFiles}`,
    ...(isLogged ? ['log stdout len 4096 format raw local0'] : []),
    'defaults',
    `timeout client ${usual.clientTimeout}ms`,
    `timeout connect ${usual.connectTimeout}ms`,
    `timeout server ${usual.targetTimeout}ms`,
    'timeout http-request 10s',
    `retries ${usual.retries}`,
    'option redispatch 1', // a target that ends: the next try goes to another one
    'option idle-close-on-response', // a worker that ends answers one more request on each idle connection
    ...(isLogged ? ['log global'] : []),
  ];
}

function networkSections(balancer: NetworkBalancer, { id, rule, pool }: NetworkListener): string[] {
  const { healthCheck } = rule;
  const isHttp = rule.protocol === 'HTTP';
  const client = healthCheck?.clientTimeout ?? usual.clientTimeout;
  return [
    `frontend ${id}`,
    `mode ${isHttp ? 'http' : 'tcp'}`,
    `bind ${rule.listenerIp}:${rule.listenerPort}`,
    `timeout client ${client}ms`,
    `default_backend ${id}.targets`,
    ...logLines(balancer, id, isHttp),
    `backend ${id}.targets`,
    `mode ${isHttp ? 'http' : 'tcp'}`,
    `timeout connect ${healthCheck?.connectTimeout ?? usual.connectTimeout}ms`,
    `timeout server ${healthCheck?.targetTimeout ?? usual.targetTimeout}ms`,
    `timeout tunnel ${Math.max(client, healthCheck?.targetTimeout ?? usual.targetTimeout)}ms`,
    `retries ${healthCheck?.retries ?? usual.retries}`,
    ...poolLines(balancer, pool),
  ];
}

function applicationSections(
  balancer: ApplicationBalancer,
  listener: ApplicationListener,
  certificateList: string | undefined,
): string[] {
  const { id, rule } = listener;
  const tls = certificateList === undefined ? '' : ` ssl crt-list ${certificateList} alpn h2,http/1.1`;
  const used = new Set(
    rule.httpRules.flatMap(({ type, targetGroup }) => (type === 'FORWARD' ? (targetGroup ?? []) : [])),
  );
  return [
    `frontend ${id}`,
    'mode http',
    `bind ${rule.listenerIp}:${rule.listenerPort}${tls}`,
    `timeout client ${rule.clientTimeout ?? usual.clientTimeout}ms`,
    ...logLines(balancer, id, true),
    ...httpRuleLines(listener, ({ targetGroup }) => `${id}.${targetGroup}`),
    ...[...used].flatMap((group) => {
      const pool = balancer.pools.get(group);
      return [`backend ${id}.${group}`, 'mode http', 'option forwardfor', ...(pool ? groupLines(balancer, pool) : [])];
    }),
  ];
}

function groupLines(balancer: ApplicationBalancer, pool: Pool): string[] {
  const { group } = pool;
  const check = group?.httpHealthCheck;
  return [
    ...(group?.healthCheck?.retries == null ? [] : [`retries ${group.healthCheck.retries}`]),
    ...(group?.healthCheck?.checkTimeout == null ? [] : [`timeout check ${group.healthCheck.checkTimeout}ms`]),
    ...(check ? checkLines(check) : []),
    ...poolLines(balancer, pool),
  ];
}

function checkLines({ path, method, matchType, response, regex, negate }: HttpHealthCheck): string[] {
  const status = regex ? 'rstatus' : 'status';
  const way = matchType === 'STATUS_CODE' ? status : regex ? 'rstring' : 'string';
  return [
    'option httpchk',
    `http-check send meth ${method ?? 'GET'} uri ${word(literal(path ?? '/'))}`,
    `http-check expect ${negate ? '! ' : ''}${way} ${word(response)}`,
  ];
}

const balances = {
  ROUND_ROBIN: ['balance roundrobin'],
  LEAST_CONNECTION: ['balance leastconn'],
  RANDOM: ['balance random'],
  SOURCE_IP: ['balance source', 'hash-type consistent'], // a lost target moves only its own clients
} as const;

function poolLines(balancer: NetworkBalancer | ApplicationBalancer, pool: Pool): string[] {
  const own = balancer.addresses.find(({ version }) => version === 4);
  const names = new Set<string>();
  return [
    ...balances[pool.algorithm],
    ...pool.targets.flatMap((target) => {
      const name = `${target.address.text}:${target.port}`;
      if (names.has(name)) return [];
      names.add(name);
      return `server ${name} ${name} ${serverWords(target, pool, own?.text).join(' ')}`;
    }),
  ];
}

const proxyProtocols = { none: [], v1: ['send-proxy'], v2: ['send-proxy-v2'], v2ssl: ['send-proxy-v2-ssl'] } as const;

function serverWords(target: Target, { group }: Pool, source: string | undefined): string[] {
  const interval = target.checkInterval ?? group?.healthCheck?.checkInterval ?? usual.interval;
  const isHttp2 = group?.protocolVersion === 'HTTP2';
  return [
    `weight ${target.weight}`,
    ...(source === undefined ? [] : [`source ${source}`]),
    ...(isHttp2 ? ['proto h2'] : []),
    ...proxyProtocols[target.proxyProtocol],
    ...(target.isChecked ? [`check inter ${Math.max(interval, 1)}ms`] : []),
  ];
}

function logLines(balancer: NetworkBalancer | ApplicationBalancer, rule: string, isHttp: boolean): string[] {
  if (!balancer.isLogged) return [];
  return [
    ...(isHttp ? ['http-request set-var(txn.host) req.hdr(host)'] : []),
    `log-format ${word(accessFormat(balancer, rule, isHttp))}`,
  ];
}
