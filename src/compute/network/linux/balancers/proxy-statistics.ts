// The counters of the proxies of load balancers. A new configuration starts a new process, which counts from 0.
import type { CoreShell } from '../linux-network.ts';
import { proxyRoot } from './proxy-script.ts';

export interface ProxyCounts {
  requests: number; // connections, if it knows no requests
  errors: number;
  bytesIn: number; // from clients
  bytesOut: number;
}

export interface ProxyRow extends ProxyCounts {
  balancerId: string;
  process: string;
  rule: string;
  target: string | null; // null: the rule itself
  responseMs: number | null; // the mean of the last 1024
  isHealthy: boolean | null; // null: it is not checked
}

const script = `
import csv, glob, io, json, os, socket
rows = []
for path in glob.glob("${proxyRoot}/lb-*/statistics"):
    try:
        with socket.socket(socket.AF_UNIX) as link:
            link.settimeout(2)
            link.connect(path)
            link.sendall(b"show info;show stat\\n")
            info, _, table = link.makefile().read().partition("# pxname")
        pid = next(line.split()[1] for line in info.splitlines() if line.startswith("Pid:"))
        for row in csv.DictReader(io.StringIO("pxname" + table)):
            if row["type"] in ("0", "2"):
                row.update(balancer=os.path.basename(os.path.dirname(path))[3:], process=pid)
                rows.append({key: value for key, value in row.items() if value})
    except (OSError, StopIteration):
        pass
print(json.dumps(rows))`;

export async function readProxies(shell: CoreShell): Promise<ProxyRow[]> {
  const text = await shell(`python3 - <<'END'${script}\nEND`);
  return (JSON.parse(text) as Row[]).map(proxyRow);
}

type Row = Readonly<Record<string, string>>;

function proxyRow(row: Row): ProxyRow {
  const number = (name: string): number => Number(row[name] ?? 0);
  const isTarget = row.type === '2';
  const isHttp = row.mode === 'http';
  const sum = (...names: string[]): number => names.reduce((total, name) => total + number(name), 0);
  return {
    ...{ balancerId: row.balancer ?? '', process: row.process ?? '' },
    rule: (row.pxname ?? '').split('.')[0] ?? '',
    target: isTarget ? (row.svname ?? '') : null,
    requests: isHttp ? number('req_tot') : number('stot'),
    errors: isTarget ? sum('econ', 'eresp', 'hrsp_5xx') : sum('ereq', 'hrsp_5xx'),
    bytesIn: number('bin'),
    bytesOut: number('bout'),
    responseMs: isTarget ? number(isHttp ? 'rtime' : 'ctime') : null,
    isHealthy: !isTarget || row.status === 'no check' ? null : (row.status ?? '').startsWith('UP'),
  };
}
