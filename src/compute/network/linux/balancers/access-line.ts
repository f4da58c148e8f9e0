// The line that HAProxy writes for each access: its format for the configuration, and its parser.
import type { BalancerKind } from '../../verdict.ts';

export interface Access {
  timeMs: number; // when it ended, by the clock of the machine
  kind: BalancerKind;
  datacenterId: string;
  balancerId: string;
  rule: string; // the id of the forwarding rule
  source: string;
  sourcePort: number;
  target: string; // the listener
  targetPort: number;
  server: { ip: string; port: number } | null; // null: no connection to a target
  isAnswer: boolean; // of the load balancer itself
  bytesIn: number; // from the client
  bytesOut: number;
  durationMs: number;
  http?: HttpAccess;
}

export interface HttpAccess {
  status: number | null;
  rule: string | null; // the name of the HTTP rule
  method: string | null;
  host: string | null;
  path: string | null;
}

interface LoggedBalancer {
  kind: BalancerKind;
  id: string;
  datacenterId: string;
}

// Texts of users and clients are encoded, so no field contains a space. The path is the last one, because HAProxy cuts
// long lines.
export function accessFormat({ kind, id, datacenterId }: LoggedBalancer, rule: string, isHttp: boolean): string {
  const common = `access %[date(0,ms)] ${kind} ${datacenterId} ${id} ${rule} %ci %cp %fi %fp %si %sp %ts %U %B`;
  return isHttp
    ? `${common} %Ta %ST %[var(txn.rule),url_enc] %[method] %[var(txn.host),url_enc] %HPO`
    : `${common} %Tt`;
}

// Undefined: the line is not one of an access.
export function accessIn(line: string): Access | undefined {
  const [mark, time, kind, datacenterId = '', balancerId = '', rule = '', ...more] = line.split(' ');
  const [source = '', sourcePort, target = '', targetPort, server = '', serverPort, ending = '', ...sums] = more;
  const [bytesIn, bytesOut, duration, ...http] = sums;
  if (mark !== 'access' || duration === undefined) return undefined;
  const isConnected = server !== '-' && !'CQ'.includes(ending[1] ?? '');
  return {
    ...{ timeMs: Number(time), kind: kind as BalancerKind, datacenterId, balancerId, rule },
    ...{ source, sourcePort: Number(sourcePort), target, targetPort: Number(targetPort) },
    server: isConnected ? { ip: server, port: Number(serverPort) } : null,
    isAnswer: ending.startsWith('L'),
    ...{ bytesIn: Number(bytesIn), bytesOut: Number(bytesOut), durationMs: Math.max(0, Number(duration)) },
    ...(http.length > 0 && { http: httpAccess(http) }),
  };
}

function httpAccess([status, rule, method, host, path]: readonly string[]): HttpAccess {
  return {
    status: Number(status) > 0 ? Number(status) : null,
    rule: decoded(rule),
    method: known(method),
    host: decoded(host),
    path: known(path),
  };
}

const known = (field: string | undefined): string | null =>
  field === undefined || field === '-' || field === '<BADREQ>' ? null : field;

function decoded(field: string | undefined): string | null {
  const text = known(field);
  try {
    return text && decodeURIComponent(text);
  } catch {
    return text; // bytes that are not UTF-8
  }
}
