// Starts, changes and ends HAProxy in the namespace of a load balancer. It runs as a separate
// user without rights. A changed configuration starts a new worker at the same sockets; the old one ends with its last
// connection.
import { hash } from 'node:crypto';
import { configFile } from './proxy-config.ts';

export type ProxyFiles = Readonly<Record<string, string>>;

export const proxyRoot = '/run/balancers';
export const accessPipe = `${proxyRoot}/access`;
// Writers of lines never wait for a reader: HAProxy drops them while the pipe is full.
export const accessPipeLine = `mkdir -p -m 1777 ${proxyRoot}; [ -p ${accessPipe} ] || mkfifo -m 600 ${accessPipe}`;
const firstUser = 2_000_000_000; // not used by systems

export const proxyFolder = (key: string): string => `${proxyRoot}/${key}`;

const userOf = (key: string): number =>
  firstUser + (Number.parseInt(hash('sha256', key).slice(0, 8), 16) % 100_000_000);

const asUser = (key: string): string =>
  `setpriv --reuid=${userOf(key)} --regid=${userOf(key)} --clear-groups --no-new-privs`;

// Waits until a worker with the new configuration runs.
const isRunning = `
import socket, sys, time
path, wanted = sys.argv[1:]
end = time.time() + 5
while time.time() < end:
    try:
        with socket.socket(socket.AF_UNIX) as link:
            link.connect(path)
            link.sendall(b"show info\\n")
            if "description: " + wanted in link.makefile().read():
                sys.exit()
    except OSError:
        pass
    time.sleep(0.01)
sys.exit(1)`;

export function proxyLines(
  before: ProxyFiles | undefined,
  after: ProxyFiles | undefined,
  { key, enter }: { key: string; enter: string },
): string[] {
  if (!after) return before ? [endProxy(key)] : [];
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  const [folder, user] = [proxyFolder(key), asUser(key)];
  const config = `${folder}/${configFile}`;
  const version = hash('sha256', JSON.stringify(after)).slice(0, 16);
  const gone = Object.keys(before ?? {}).filter((name) => !(name in after));
  const files = Object.entries({ ...after, [configFile]: `${after[configFile]}global\ndescription ${version}\n` });
  return [
    accessPipeLine,
    `${user} mkdir -p -m 700 ${folder}`,
    ...files.map(([name, text]) => `${user} sh -c 'cat > ${folder}/${name}' <<'END-OF-FILE'\n${text}END-OF-FILE`),
    `${user} haproxy -c -f ${config} >/dev/null`,
    `if ! ${user} kill -USR2 $(cat ${folder}/pid 2>/dev/null) 2>/dev/null; then`,
    `rm -f ${folder}/pid`,
    `${enter} sh -c 'echo 0 > /proc/sys/net/ipv4/ip_unprivileged_port_start'`,
    `${enter} setsid ${user} haproxy -W -p ${folder}/pid -f ${config} </dev/null 1<>${accessPipe} 2>${folder}.errors &`,
    'fi',
    `python3 - ${folder}/statistics ${version} <<'END-OF-FILE' || { tail -n 5 ${folder}.errors; false; }${isRunning}\nEND-OF-FILE`,
    ...gone.map((name) => `rm -f ${folder}/${name}`),
  ];
}

// All its processes, also those that only serve their last connections.
export const endProxy = (key: string): string =>
  `${asUser(key)} kill -KILL -- -1 2>/dev/null || true; rm -rf ${proxyFolder(key)} ${proxyFolder(key)}.errors`;
