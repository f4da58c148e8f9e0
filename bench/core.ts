// The suite of core infrastructure: the creation of servers.
import { cpuSeconds, end, freePort, pause, start, watchOthers } from './harness/children.ts';
import { atLeast, type Bench, type Figure, type Measured, rate, Skipped } from './harness/figure.ts';
import { type Journeys, openTraveller, type Traveller } from './harness/journeys.ts';
import { measurePairs, type Round, type Side } from './harness/pair.ts';
import { motoServer } from './harness/peers.ts';
import { create, type Region, startRegion, withFolder, withRoom } from './harness/region.ts';
import { datacenters, profiled, wish } from './harness/sides.ts';

const small = { name: 'bench', cores: 1, ram: 256 };
const withParts = {
  properties: small,
  entities: {
    volumes: { items: [{ properties: { name: 'disk', type: 'HDD', size: 1, licenceType: 'LINUX' } }] },
    nics: { items: [{ properties: { lan: 1, dhcp: true } }] },
  },
};

const servers: Figure = {
  name: 'servers',
  title: 'servers with a volume and a NIC, created and DONE, 8 connections, --pace 0',
  peer: 'RunInstances of moto_server, whose state is in memory only',
  demanded: '≥ 15',
  async measure(bench) {
    const moto = await motoServer();
    if ('missing' in moto) throw new Skipped(moto.missing);
    const port = await freePort();
    const args = [moto.program, '-H', '127.0.0.1', '-p', String(port)];
    const peer = start('server', moto.python, args, { stdio: 'ignore' });
    const traveller = openTraveller();
    try {
      return await withRegion(bench, ['--pace', '0'], async (region) => {
        const order = {
          port: region.port,
          headers: { Authorization: region.authorization, 'Content-Type': 'application/json' },
          body: JSON.stringify(withParts),
          follow: true,
        };
        // Each round has its own datacenter: one LAN has too few addresses for all of them.
        const ours: Side = {
          async round() {
            const path = `${await addDatacenter(region)}/servers`;
            await create(region, path, withParts);
            return journeySide(bench, traveller, region.pid, 8, { ...order, path }).round();
          },
        };
        const theirs = journeySide(bench, traveller, peer.pid ?? 0, 8, {
          port,
          path: '/',
          headers: motoHeaders,
          body: runInstances,
        });
        await untilAnswered(traveller, port);
        await ours.round();
        await theirs.round();
        return atLeast(15, rate, await measurePairs(ours, theirs, bench.pairs), []);
      });
    } finally {
      await traveller.close();
      await end(peer);
    }
  },
};

// moto looks at the service and region in the signature's scope and not at the signature.
const motoHeaders = {
  Authorization:
    'AWS4-HMAC-SHA256 Credential=bench/20260101/us-east-1/ec2/aws4_request, SignedHeaders=host, Signature=0',
  'Content-Type': 'application/x-www-form-urlencoded',
};
const runInstances =
  'Action=RunInstances&Version=2016-11-15&ImageId=ami-12c6146b&MinCount=1&MaxCount=1&InstanceType=t2.micro';

async function untilAnswered(traveller: Traveller, port: number): Promise<void> {
  for (let tries = 0; ; tries++) {
    try {
      const order = { port, connections: 1, path: '/', headers: motoHeaders, body: runInstances };
      await traveller.run({ ...order, durationMs: 1 });
      return;
    } catch (error) {
      if (tries > 300) throw error;
      await pause(100);
    }
  }
}

function journeySide(
  { roundMs }: Bench,
  traveller: Traveller,
  pid: number,
  connections: number,
  order: Omit<Journeys, 'connections' | 'durationMs'>,
): Side {
  return {
    async round(): Promise<Round> {
      const others = watchOthers(pid, traveller.pid);
      const before = cpuSeconds(pid);
      const { perSecond, done } = await traveller.run({ ...order, connections, durationMs: roundMs });
      return { value: perSecond, perCpuSecond: done / (cpuSeconds(pid) - before), foreign: others() };
    },
  };
}

export const coreFigures: readonly Figure[] = [servers];

async function addDatacenter(region: Region): Promise<string> {
  return `${datacenters}/${await create(region, datacenters, wish)}`;
}

function withRegion(bench: Bench, more: string[], use: (region: Region) => Promise<Measured>): Promise<Measured> {
  return withFolder(async (data) => {
    const region = await startRegion({ data, more, ...profiled(bench) });
    try {
      return await use(await withRoom(region, data));
    } finally {
      await region.stop();
    }
  });
}
