// An independent count of the packets at an interface: a packet socket in its namespace, which sees what the kernel
// receives and sends there. Neighbour discovery and ARP are left out.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../../src/testing/waiting.ts';
import type { Namespaces } from './namespaces.ts';

// Each flow once: direction, addresses, ports, protocol, packets and bytes. It ends when no packet is left to count.
const script = `
import collections, json, os, signal, socket, struct, sys
device, file = sys.argv[1:3]
s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
s.setsockopt(socket.SOL_SOCKET, 33, 256 << 20)
s.bind((device, 0))
s.settimeout(0.1)
counts = collections.Counter()
volume = collections.Counter()
is_over = False
def end(*_):
    global is_over
    is_over = True
signal.signal(signal.SIGTERM, end)
open(file + '.ready', 'w').close()
while True:
    try: frame, (_, kind, sent, *_) = s.recvfrom(1 << 18)
    except TimeoutError:
        if is_over: break
        continue
    packet = frame[14:]
    if kind == 0x0800:
        family, at, protocol, ends = socket.AF_INET, (packet[0] & 15) * 4, packet[9], (packet[12:16], packet[16:20])
    elif kind == 0x86dd:
        family, at, protocol, ends = socket.AF_INET6, 40, packet[6], (packet[8:24], packet[24:40])
    else: continue
    if protocol == 58 and packet[at] in (130, 131, 132, 133, 134, 135, 136, 143) or protocol == 0: continue
    ports = struct.unpack('!HH', packet[at:at + 4]) if protocol in (6, 17) else (0, 0)
    source, target = [socket.inet_ntop(family, one) for one in ends]
    key = ('EGRESS' if sent == 4 else 'INGRESS', source, ports[0], target, ports[1], protocol)
    counts[key] += 1
    volume[key] += len(packet)
flows = [list(key) + [counts[key], volume[key]] for key in counts]
dropped = struct.unpack('II', s.getsockopt(263, 6, 8))[1]
with open(file + '.part', 'w') as out: json.dump({'flows': flows, 'dropped': dropped}, out)
os.rename(file + '.part', file)
`;

export interface Captured {
  direction: string;
  flow: string; // source, its port, target, its port, protocol
  packets: number;
  bytes: number;
}

export class Capture {
  readonly #folder = mkdtempSync(join(tmpdir(), 'cumulet-capture-'));
  readonly #host: Namespaces;
  readonly #name: string;
  #pid = '';

  private constructor(host: Namespaces, name: string) {
    this.#host = host;
    this.#name = name;
  }

  static async start(host: Namespaces, name: string, device: string): Promise<Capture> {
    const capture = new Capture(host, name);
    const file = join(capture.#folder, 'flows');
    const command = `python3 - ${device} ${file} >${file}.log 2>&1 <<'PYTHON' &\n${script}\nPYTHON\necho $!`;
    capture.#pid = (await host.inside(name, command)).trim();
    await until('the capture runs', () => existing(`${file}.ready`));
    return capture;
  }

  async stop(): Promise<Captured[]> {
    await this.#host.inside(this.#name, `kill ${this.#pid}`);
    const text = await until('the captured flows', () => existing(join(this.#folder, 'flows')));
    rmSync(this.#folder, { recursive: true });
    const { flows, dropped } = JSON.parse(text.text) as { flows: [string, ...(string | number)[]][]; dropped: number };
    if (dropped > 0) throw new Error(`the capture lost ${dropped} packets`);
    return flows.map(([direction, ...rest]) => ({
      direction,
      flow: rest.slice(0, 5).join(' '),
      packets: Number(rest[5]),
      bytes: Number(rest[6]),
    }));
  }
}

function existing(file: string): { text: string } | undefined {
  try {
    return { text: readFileSync(file, 'utf8') };
  } catch {
    return undefined;
  }
}
