// Auto scaling by the load of real requests, in real time, which takes about four minutes: the machines are real and
// the API's shortest range and cooldown are two minutes.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { limits } from '../../src/testing/limits.ts';
import { isFull } from '../../src/testing/seed.ts';
import { until } from '../../src/testing/waiting.ts';
import { addGroup, type GroupOfTest, policy, replicasOf, serversOf } from '../harness/autoscaling.ts';
import { type DockerEngine, dockerEngine } from '../harness/machines/docker-engine.ts';
import { onHost } from '../harness/machines/host.ts';
import { bootVolume, containerOf, core, done, inside, makeDatacenter } from '../harness/machines/servers.ts';
import { type Region, startRegion } from '../harness/region.ts';

const found = isFull ? await dockerEngine() : { skip: 'runs with ./cumulet test --full' };

// Burns processor time for each request to /busy, and answers with the name of the machine.
const application = `#!/bin/sh
cat > /application.py <<'END'
import http.server, socket, time
class Application(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(self):
        end = time.thread_time() + (0.1 if self.path == "/busy" else 0.001)
        while time.thread_time() < end: pass
        body = socket.gethostname().encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *words): pass
http.server.ThreadingHTTPServer(("", 8080), Application).serve_forever()
END
systemd-run --quiet --unit application python3 /application.py
`;

const oneRequest = `
import sys, urllib.request, urllib.error
try: print(urllib.request.urlopen(sys.argv[1], timeout=3).status)
except OSError as problem: print(problem)`;

// Three clients send requests until /run/end exists: busy ones until /run/light exists. Each keeps its connection.
const manyRequests = `
import http.client, json, os, sys, threading, time, urllib.parse
host = urllib.parse.urlsplit(sys.argv[1]).netloc
answers, failures = [], []
def client():
    connection = http.client.HTTPConnection(host, timeout=20)
    while not os.path.exists("/run/end"):
        light = os.path.exists("/run/light")
        try:
            connection.request("GET", "/light" if light else "/busy")
            answer = connection.getresponse()
            text = answer.read().decode()
            if answer.status == 200: answers.append(text)
            else: failures.append([time.time(), answer.status, text])
        except Exception as problem:
            failures.append([time.time(), repr(problem)])
            connection.close()
        if light: time.sleep(0.05)
threads = [threading.Thread(target=client) for _ in range(3)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(json.dumps({"answers": len(answers), "failures": failures[:20], "targets": len(set(answers))}))`;

interface Requests {
  answers: number;
  failures: unknown[];
  targets: number; // that answered
}

suite('auto scaling on Docker', { skip: found.skip ?? false }, () => {
  const engine = found as DockerEngine;
  let region: Region;

  before(async () => {
    region = await startRegion({ args: ['--machines', engine.setting] });
  });

  after(async () => {
    await region.stop();
    await engine.stop();
  });

  interface Look {
    value: number | null;
    actions: { type: string; status: string; message?: string }[];
  }
  const look = async ({ id }: GroupOfTest): Promise<Look> => (await region.call<Look>('GET', `/lab/groups/${id}`)).body;
  const untilCount = async (group: GroupOfTest, count: number): Promise<void> => {
    await until(
      `${count} replicas`,
      async () => ({ count: (await replicasOf(region, group)).length, ...(await look(group)) }),
      (seen) => seen.count === count && seen.actions.every(({ status }) => status !== 'IN_PROGRESS'),
      { limitMs: limits.scaling, everyMs: 500 },
    );
  };

  // An application load balancer in front of a target group without targets.
  const balance = async (datacenter: string): Promise<{ targetGroupId: string; url: string }> => {
    const { body: block } = await region.call('POST', `${core}/ipblocks`, {
      properties: { location: 'de/txl', size: 1 },
    });
    const [listenerIp] = block.properties.ips as string[];
    for (const isPublic of [true, false])
      await done(region, 'POST', `${datacenter}/lans`, { properties: { name: 'lan', public: isPublic } });
    const { body: group } = await region.call('POST', `${core}/targetgroups`, {
      properties: { name: 'web', algorithm: 'LEAST_CONNECTION', protocol: 'HTTP' },
    });
    const { body: balancer } = await done(region, 'POST', `${datacenter}/applicationloadbalancers`, {
      properties: { name: 'web', listenerLan: 1, ips: [listenerIp], targetLan: 2, lbPrivateIps: ['10.7.0.5/24'] },
    });
    await done(region, 'POST', `${datacenter}/applicationloadbalancers/${balancer.id}/forwardingrules`, {
      properties: {
        ...{ name: 'web', protocol: 'HTTP', listenerIp, listenerPort: 80 },
        httpRules: [{ name: 'all', type: 'FORWARD', targetGroup: group.id }],
      },
    });
    return { targetGroupId: group.id, url: `http://${listenerIp}/` };
  };

  test('[SCALE-09] requests scale the group out and in, and none of them fails', async () => {
    const { type: _, ...volume } = bootVolume();
    const action = { amount: 1, amountType: 'ABSOLUTE', cooldownPeriod: 'PT2M' };
    const datacenter = await makeDatacenter(region);
    const { targetGroupId, url } = await balance(datacenter);
    const group = await addGroup(
      region,
      {
        maxReplicaCount: 2,
        policy: {
          ...policy,
          range: 'PT2M',
          scaleInThreshold: 20,
          scaleOutThreshold: 40,
          scaleOutAction: action,
          scaleInAction: { ...action, terminationPolicy: 'NEWEST_SERVER_FIRST', deleteVolumes: true },
        },
        replicaConfiguration: {
          cores: 1,
          ram: 256,
          nics: [{ lan: 2, name: 'in', targetGroup: { targetGroupId, port: 8080, weight: 1 } }],
          volumes: [
            { ...volume, type: 'HDD', bootOrder: 'AUTO', userData: Buffer.from(application).toString('base64') },
          ],
        },
      },
      datacenter,
      limits.machine,
    );
    const [first = ''] = await serversOf(region, group);
    const oneAnswer = (): Promise<string> => onHost(engine, ['python3', '-c', oneRequest, url]);
    await until('the application answers', oneAnswer, (status) => status.trim() === '200', { limitMs: limits.machine });
    const requests = onHost(engine, ['python3', '-c', manyRequests, url]);
    await untilCount(group, 2);
    const out = (await look(group)).actions[0];
    assert.deepEqual([out?.type, out?.status], ['SCALE_OUT', 'SUCCESSFUL']);
    const second = (await serversOf(region, group)).find((server) => server !== first) ?? '';
    assert.match(await inside(engine, second, 'cat /etc/hostname'), /^web-/, 'the new replica has booted');

    await onHost(engine, ['touch', '/run/light']);
    await untilCount(group, 1);
    await onHost(engine, ['touch', '/run/end']);
    const { answers, failures, targets } = JSON.parse(await requests) as Requests;
    assert.deepEqual(failures, []);
    assert.equal(targets, 2, `${answers} answers`);
    const back = (await look(group)).actions[0];
    assert.deepEqual([back?.type, back?.status], ['SCALE_IN', 'SUCCESSFUL']);
    assert.deepEqual(await serversOf(region, group), [first]);
    assert.equal(await containerOf(engine, second), '');
  });
});
