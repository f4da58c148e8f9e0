// Programs that send and receive in the namespaces of tests.
import type { Namespaces } from './namespaces.ts';

const server = `
import socket, sys, threading
def tcp(c):
    try:
        c.sendall(b'y' * 100000)
        while c.recv(65536): pass
    except OSError: pass
    c.close()
def accept(s):
    while True:
        threading.Thread(target=tcp, args=(s.accept()[0],)).start()
def udp(s):
    while True:
        data, sender = s.recvfrom(65536)
        s.sendto(data, sender)
for port in map(int, sys.argv[2:]):
    s = socket.create_server(('', port), family=socket.AF_INET6, dualstack_ipv6=True)
    threading.Thread(target=accept, args=(s,)).start()
    if sys.argv[1] == 'TCP': continue
    u = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
    u.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
    u.bind(('', port))
    threading.Thread(target=udp, args=(u,)).start()
print('ready', flush=True)
`;

// On these ports, in both families, until the network ends.
export async function listen(
  host: Namespaces,
  machine: string,
  ports: readonly number[],
  protocols: 'TCP' | 'TCP and UDP' = 'TCP and UDP',
): Promise<void> {
  await host.serve(machine, server, protocols, ...ports.map(String));
}

// Connections, datagrams and echo requests to these targets, on an open and a closed port. Prints the packets that its
// own kernel refused to send.
export const client = (targets: readonly string[], count: number): string => `
python3 - <<'PYTHON'
import json, os, random, socket, struct, time
refused = {}
def attempt(family, kind, number, source, sport, target, dport, size, work):
    try: work()
    except PermissionError:
        key = f'{source} {sport} {target} {dport} {number}'
        packets, volume = refused.get(key, (0, 0))
        refused[key] = (packets + 1, volume + size)
    except OSError: pass
def receive(s):
    s.settimeout(0.3)
    try: s.recv(65536)
    except OSError: pass
random.seed(1)
for target in ${JSON.stringify(targets)}:
    v6 = ':' in target
    family = socket.AF_INET6 if v6 else socket.AF_INET
    head = 40 if v6 else 20
    probe = socket.socket(family, socket.SOCK_DGRAM)
    probe.connect((target, 9))
    source = probe.getsockname()[0]
    for port in (80, 81):
        s = socket.socket(family, socket.SOCK_STREAM)
        s.settimeout(0.4)
        try:
            s.connect((target, port))
            s.settimeout(5)
            for _ in range(${count}):
                s.sendall(b'x' * random.randrange(1, 30000))
                time.sleep(0.001)
            s.shutdown(socket.SHUT_WR)
            while s.recv(65536): pass
        except OSError: pass
        s.close()
    for port in (53, 54):
        u = socket.socket(family, socket.SOCK_DGRAM)
        u.bind((source, 0))
        for _ in range(${count}):
            size = random.randrange(1, 1400)
            attempt(family, 'udp', 17, source, u.getsockname()[1], target, port, head + 8 + size,
                    lambda: u.sendto(b'z' * size, (target, port)))
            time.sleep(0.001)
        receive(u)
    r = socket.socket(family, socket.SOCK_RAW, socket.IPPROTO_ICMPV6 if v6 else socket.IPPROTO_ICMP)
    for kind in ((128, 139) if v6 else (8, 13)):
        for at in range(${count}):
            body = struct.pack('!BBHHH', kind, 0, 0, 77, at) + bytes(12)
            total = sum(struct.unpack('!10H', body))
            total = (total & 0xffff) + (total >> 16)
            body = body[:2] + struct.pack('!H', ~total & 0xffff) + body[4:]
            attempt(family, 'icmp', 58 if v6 else 1, source, 0, target, 0, head + len(body),
                    lambda: r.sendto(body, (target, 0)))
    receive(r)
print(json.dumps(refused))
PYTHON`;
