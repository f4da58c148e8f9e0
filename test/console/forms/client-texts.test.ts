// Tests of client commands: correct for every resource, with remarks about values that a client can't set.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { after, before, suite, test } from 'node:test';
import { type DnsAnswer, digOf } from '../../../console/dns/lookup.ts';
import { curlText as chatText } from '../../../console/inference/chat/snippets.ts';
import { createText, curlText as sendText } from '../../../console/logs/send-texts.ts';
import { curlText as pushText } from '../../../console/monitoring/pipelines/push-texts.ts';
import type { Call } from '../../../console/resources/client-commands/call.ts';
import { clientNames } from '../../../console/resources/client-commands/client-names.ts';
import { clientTexts, withRemarks } from '../../../console/resources/client-commands/client-texts.ts';
import { firstCommand } from '../../../console/resources/client-commands/first-command.ts';
import * as shown from '../../../console/resources/client-commands/page-commands.ts';
import type { ResourceModel } from '../../../console/resources/model.ts';
import { find, notBuilt } from '../../clients/install.ts';
import { logPipelines, untilState } from '../../harness/logs.ts';
import { addGroup, core } from '../../harness/people.ts';
import { addPipeline, pipelines } from '../../harness/pipelines.ts';
import { createDone, type Region, type ResourceBody, startRegion } from '../../harness/region.ts';
import { makeSample } from '../../harness/samples.ts';
import { firstServer, ownSchema, pathsIn } from '../harness/form-samples.ts';
import { eachFirstCommand, Shell } from './first-commands.ts';

const call = (operation: string, path: string, body: unknown, more: Partial<Call> = {}): Call => ({
  operation: { operation, method: 'POST', path },
  url: `http://h${path}`,
  params: {},
  body,
  ...more,
});

// Its start takes seconds of the processor.
const aws = notBuilt ?? find('CUMULET_AWS', 'aws');

const textOf = (client: string, one: Call): unknown => clientTexts(one).find((text) => text.client === client);

suite('client commands', () => {
  test('values are quoted for the shell and for Terraform', () => {
    const name = `it's \${var} "q" \\b\b`;
    const one = call('datacenter_create', '/datacenters', { properties: { name, location: 'de/fra' } });
    assert.deepEqual(textOf('ionosctl', one), {
      client: 'ionosctl',
      text: `ionosctl compute datacenter create \\\n  --name 'it'\\''s \${var} "q" \\b'$'\\u0008''' \\\n  --location de/fra`,
      leavesOut: [],
      needs: [],
    });
    assert.deepEqual(textOf('Terraform', one), {
      client: 'Terraform',
      text: [
        'resource "ionoscloud_datacenter" "it_s_var_q_b_" {',
        `  name     = "it's $\${var} \\"q\\" \\\\b\\u0008"`,
        '  location = "de/fra"',
        '}',
      ].join('\n'),
      leavesOut: [],
      needs: [],
    });
  });

  test('names from other users can not inject control characters or shell variables', () => {
    const name = `a'\u001b[201~\rb\u009bc\n$(id)\uE000IONOS_TOKEN\uE001\uE002IONOS_TOKEN\uE001`;
    const one = call('datacenter_create', '/datacenters', { properties: { name, location: 'de/fra' } });
    for (const { client, text } of clientTexts(one)) {
      assert.doesNotMatch(text, /(?!\n)\p{Cc}/u, client);
      assert.doesNotMatch(text.replaceAll('Bearer $IONOS_TOKEN', ''), /\$\{?IONOS_TOKEN|var\./, client);
    }
    const [, flag = ''] = /--name (.*) \\\n {2}--location/s.exec(clientTexts(one)[1]?.text ?? '') ?? [];
    const printed = execFileSync('bash', ['-c', `printf %s ${flag}`], { env: { LC_ALL: 'C.UTF-8' }, encoding: 'utf8' });
    assert.equal(printed, "a'\u001b[201~\rb\u009bc\n$(id)IONOS_TOKENIONOS_TOKEN");
  });

  test('the first resource of a collection is created with the required values', () => {
    const needed = (operation: string, path: string, properties: object, required: readonly string[]) => ({
      ...call(operation, path, {}).operation,
      title: 'New',
      summary: 'Create',
      query: [],
      body: { type: 'object', properties: { properties: { type: 'object', properties, required } } },
    });
    const [name, location, size] = [{ type: 'string' }, { type: 'string' }, { type: 'integer', minimum: 1 }];
    const at = { url: 'http://h/x', params: {} };
    const refers = (place: readonly string[]): boolean => place.at(-1) === 'network';
    const datacenter = firstCommand(
      needed('datacenter_create', '/datacenters', { name, location }, ['location']),
      { words: { location: ['de/txl'] }, refers },
      at,
    );
    assert.equal(
      datacenter?.shown.text,
      'ionosctl compute datacenter create \\\n  --name first \\\n  --location de/txl',
    );
    const zoneName = { type: 'string', examples: ['example.com'] };
    const ofExample = firstCommand(
      needed('x_create', '/x', { size, zoneName, note: name, password: name }, ['size', 'zoneName', 'password']),
      { words: {}, refers },
      at,
    )?.shown.text;
    assert.match(String(ofExample), /^read -rs PASSWORD\ncurl -X POST 'http:\/\/h\/x'/);
    assert.match(String(ofExample), /"size": 1,\s+"zoneName": "example.com",\s+"password": "'"\$PASSWORD"'"\s/);
    assert.ok(!ofExample?.includes('note'));
    for (const unknown of [{ zoneName: name }, { network: zoneName }, { id: zoneName }]) {
      const create = needed('x_create', '/x', unknown, Object.keys(unknown));
      assert.equal(firstCommand(create, { words: {}, refers }, at), undefined, JSON.stringify(unknown));
    }
  });

  test('values that a client can not set, and values that only the client needs, are named', () => {
    const logs = [{ source: 'docker', tag: 'web', public: true, destinations: [{ type: 'loki', retentionInDays: 7 }] }];
    const properties = { name: 'web', logs };
    const one = call('logpipeline_create', '/pipelines', { properties }, { region: 'de-fra' });
    assert.deepEqual(textOf('ionosctl', one), {
      client: 'ionosctl',
      text: [
        'ionosctl logging-service pipeline create',
        '--location de/fra',
        '--name web',
        '--log-source docker',
        '--log-tag web',
        '--log-type loki',
        '--log-retention-time 7',
      ].join(' \\\n  '),
      leavesOut: ['logs.0.public'],
      needs: ['logs.protocol'],
    });
    assert.deepEqual(textOf('Terraform', one), {
      client: 'Terraform',
      text: `resource "ionoscloud_logging_pipeline" "web" {
  location = "de/fra"
  name     = "web"

  log {
    source = "docker"
    tag    = "web"

    destinations {
      type              = "loki"
      retention_in_days = 7
    }
  }
}`,
      leavesOut: ['logs.public'],
      needs: ['logs.protocol'],
    });
  });

  test('ids of parents are taken from the address', () => {
    const path = '/datacenters/{datacenterId}/servers';
    const body = { properties: { name: 'web', cores: 2, nicMultiQueue: false }, entities: { volumes: { items: [] } } };
    const one = call('server_create', path, body, { params: { datacenterId: 'd' } });
    const [, ionosctl] = clientTexts(one);
    const flags = ['--datacenter-id d', '--name web', '--cores 2', '--nic-multi-queue=false'];
    assert.equal(ionosctl?.text, ['ionosctl compute server create', ...flags].join(' \\\n  '));
    assert.deepEqual(clientTexts({ ...one, params: {} })[1]?.needs, ['datacenterId']);
  });

  test('preceding and nested resources are created by every client, or named', () => {
    const { body, ...rest } = firstServer('d');
    const { properties, entities } = body as { properties: object; entities: object };
    const labels = { items: [{ properties: { key: 'a', value: 'b' } }] };
    const given = { ...rest, body: { properties, entities: { ...entities, labels } } };
    const [curl, ionosctl, terraform] = clientTexts(given);
    assert.match(curl?.text ?? '', /^LAN_ID=\$\(curl -s -X POST .*"public": true.* \| jq -r \.id\)\ncurl -X POST /s);
    assert.match(curl?.text ?? '', /"lan": '"\$LAN_ID"'\n/);
    assert.equal(
      ionosctl?.text,
      `LAN_ID=$(ionosctl compute lan create \\
  --datacenter-id d \\
  --public=true \\
  --cols LanId --no-headers --wait)
SERVER_ID=$(ionosctl compute server create \\
  --datacenter-id d \\
  --name web \\
  --cores 1 \\
  --ram 2048 \\
  --cols ServerId --no-headers --wait)
VOLUME_ID=$(ionosctl compute volume create \\
  --datacenter-id d \\
  --name boot \\
  --type HDD \\
  --size 10 \\
  --image-alias ubuntu:latest \\
  --password "$IMAGE_PASSWORD" \\
  --cols VolumeId --no-headers --wait)
ionosctl compute server volume attach \\
  --datacenter-id d \\
  --server-id "$SERVER_ID" \\
  --volume-id "$VOLUME_ID"
ionosctl compute nic create \\
  --datacenter-id d \\
  --server-id "$SERVER_ID" \\
  --dhcp=true \\
  --lan-id "$LAN_ID"`,
    );
    assert.equal(
      terraform?.text,
      `variable "image_password" {
  type      = string
  sensitive = true
}

resource "ionoscloud_lan" "lan" {
  datacenter_id = "d"
  public        = true
}

resource "ionoscloud_server" "web" {
  datacenter_id  = "d"
  name           = "web"
  cores          = 1
  ram            = 2048
  image_name     = "ubuntu:latest"
  image_password = var.image_password

  volume {
    name      = "boot"
    disk_type = "HDD"
    size      = 10
  }

  nic {
    dhcp = true
    lan  = ionoscloud_lan.lan.id
  }
}`,
    );
    assert.ok(ionosctl && terraform);
    assert.match(withRemarks(ionosctl), /^# ionosctl can't set entities\.labels\.\nLAN_ID=/);
    assert.match(withRemarks(terraform), /^# Terraform can't set entities\.labels\.\nvariable /);
  });

  test('secrets are variables', () => {
    const path = '/datacenters/{datacenterId}/volumes';
    const properties = { name: "it's $5", size: 10, imageAlias: 'ubuntu:latest', imagePassword: 'hidden$1' };
    const texts = clientTexts(call('volume_create', path, { properties }));
    const [curl = '', ionosctl = ''] = texts.map(({ text }) => text);
    assert.ok(curl.includes(`"imagePassword": "'"$IMAGE_PASSWORD"'"`), curl);
    assert.ok(ionosctl.includes('--image-alias ubuntu:latest \\\n  --password "$IMAGE_PASSWORD"'), ionosctl);
    const user = { properties: { email: 'a@example.com', password: 'hidden$1' } };
    const [, , terraform = ''] = clientTexts(call('user_create', '/um/users', user)).map(({ text }) => text);
    assert.match(terraform, /password += var\.password\n/);
    const group = { properties: { name: '$5', replicaConfiguration: { volumes: [{ imagePassword: 'hidden$1' }] } } };
    const [, document = ''] = clientTexts(call('autoscalinggroup_create', '/groups', group)).map(({ text }) => text);
    assert.match(document, /<<EOF\n.*"name": "\\\$5".*"imagePassword": "\$IMAGE_PASSWORD"/s);
    assert.doesNotMatch([curl, ionosctl, terraform, document].join(), /hidden/);
  });

  test('other operations have only curl', () => {
    const one = call('server_update', '/datacenters/{datacenterId}/servers/{serverId}', { cores: 2 });
    assert.deepEqual(
      clientTexts(one).map(({ client }) => client),
      ['curl'],
    );
  });
});

suite('the names of other clients', () => {
  let region: Region;
  let models: ResourceModel[];
  const made = new Map<string, string>();
  let shell: Shell;

  before(async () => {
    region = await startRegion();
    models = (await region.call<{ resources: ResourceModel[] }>('GET', '/console/model')).body.resources;
    shell = new Shell(region);
  });
  after(async () => {
    shell.remove();
    await region.stop();
  });

  test('refer to properties that the forms have', () => {
    const strange = Object.entries(clientNames).flatMap(([operation, { ionosctl, terraform }]) => {
      const create = models.map((model) => model.create).find((one) => one?.operation === operation);
      const known = new Set([
        ...pathsIn(ownSchema(create?.body)),
        ...[...(create?.path ?? '').matchAll(/\{(\w+)\}/g)].map(([, name]) => name),
        'location', // the region of a regional service
      ]);
      const named = [
        ...Object.keys(ionosctl?.flags ?? {}).map((path) => path.replaceAll('.0', '')),
        ...(ionosctl?.needs ?? []),
        ...Object.keys(terraform?.names ?? {}),
        ...(terraform?.lacks ?? []),
        ...(terraform?.needs ?? []),
      ];
      return named.filter((path) => !known.has(path)).map((path) => `${operation} ${path}`);
    });
    assert.deepEqual(strange, []);
  });

  test('the commands of empty lists create the first resource', async () => {
    const ran: string[] = [];
    const create = async ({ name }: ResourceModel): Promise<void> => {
      await makeSample(region, name, made).catch(() => undefined); // a reference has no sample
    };
    await eachFirstCommand(region, models, create, async ({ name, place, command }) => {
      if (name.startsWith('s3key')) await letUseStorage(place);
      await shell.run(command.curl.text);
      await region.call('GET', '/lab/idle');
      ran.push(name);
    });
    assert.ok(ran.length > 25, String(ran.length));
    for (const name of ['datacenter', 'server', 'volume', 'zone', 'record', 'user', 'logpipeline', 'topic'])
      assert.ok(
        ran.some((one) => one.startsWith(`${name} `)),
        name,
      );
  });

  // The user of the key is the last one.
  async function letUseStorage(place: string): Promise<void> {
    const [, id = ''] = /users\/([^/]+)/.exec(place) ?? [];
    await addGroup(region, ['s3Privilege'], [{ id } as ResourceBody]);
  }

  test('the curl commands of a form create a server with its LAN', async () => {
    const { id } = await createDone(region, `${core}/datacenters`, {
      properties: { name: 'form', location: 'de/txl' },
    });
    const given = firstServer(id);
    const at = (call: Call): Call => ({
      ...call,
      url: `${region.url}/cloudapi/v6${call.url.slice('/cloudapi/v6'.length)}`,
    });
    const before = given.before?.map((one) => ({ ...one, call: at(one.call) }));
    const [curl] = clientTexts({ ...at(given), ...(before && { before }) });
    await shell.run(curl?.text ?? '');
    await region.call('GET', '/lab/idle');
    const { body } = await region.call('GET', `${core}/datacenters/${id}/servers?depth=1`);
    assert.equal(body.items[0]?.properties.name, 'web');
  });

  test('help for sending metrics and log lines works with the key of the pipeline', async () => {
    const metrics = await addPipeline(region);
    const { body: ready } = await region.call('GET', `${pipelines}/${metrics.id}`);
    await shell.run(pushText(String(ready.metadata.httpEndpoint), String(metrics.metadata.key)));
    const created = JSON.parse(await shell.run(createText(region.url, 'de-fra')));
    await untilState(region, `/de-fra${logPipelines}/${created.id}`, 'AVAILABLE');
    const { body: logs } = await region.call('GET', `/de-fra${logPipelines}/${created.id}`);
    const { key } = (await region.call('POST', `/de-fra${logPipelines}/${created.id}/key`)).body;
    await shell.run(sendText(String(logs.properties.httpAddress), 'web', String(key)));
  });

  test('the request of a chat is the same with curl', async () => {
    const messages = [{ role: 'user' as const, content: "it's hello" }];
    const body = { model: 'mistralai/Mistral-Small-24B-Instruct', messages, max_tokens: 3 };
    const answer = await shell.run(chatText(`${region.url}/inference/v1`, body), { OPENAI_API_KEY: region.token });
    assert.match(answer, /^data: \{.*data: \[DONE\]\s*$/s);
  });

  const createdCluster = async (): Promise<ResourceBody> =>
    (await region.call('GET', '/streaming/clusters')).body.items[0] as ResourceBody;

  test('all other commands of pages work', async () => {
    await shell.run(shown.activityLog(region.url, region.contract));
    const environments = [shown.clientEnvironment, shown.firstBucket.split('\n')[0] as string];
    const [access = ''] = shown.firstMessage((await createdCluster()).id, 'first').split('\n');
    const own = [shown.costs, shown.trafficHelp, shown.addContract, access];
    await Promise.all([...environments, ...own].map((one) => shell.run(one)));
    for (const one of [shown.savePointCommand, shown.plantFault, shown.advanceClockCommand]) await shell.run(one);
  });

  test('the commands of a bucket store an object', { skip: aws.skip ?? false }, async () => {
    assert.match(await shell.run(shown.firstBucket), /make_bucket: first/);
    const [environment, ...upload] = shown.uploadTo('first', 'a folder/').split('\n');
    assert.ok(shown.firstBucket.startsWith(`${environment}\n`));
    assert.match(upload.join('\n'), /^aws s3 cp README\.md 's3:\/\/first\/a folder\/'$/);
  });

  test('the commands of a topic send a message', { skip: find('CUMULET_KCAT', 'kcat').skip ?? false }, async () => {
    const { id } = await createdCluster();
    await shell.run(shown.firstMessage(id, 'first'));
    const metrics = (await region.call<string>('GET', `/streaming/clusters/${id}/metrics`)).body;
    assert.match(metrics, /kafka_topic_records\{topic="first"\} 1\b/);
  });

  test('the command of a lookup gets the same answer', { skip: find('CUMULET_DIG', 'dig').skip ?? false }, async () => {
    const { body: zones } = await region.call('GET', '/dns/zones');
    const name = String(zones.items[0]?.properties.zoneName);
    const { body } = await region.call<DnsAnswer>('GET', `/console/dns-lookup?name=${name}&type=SOA`);
    assert.match(await shell.run(digOf(body, true)), /status: NOERROR.*\sSOA\s/s);
  });

  test('views contain no other commands', () => {
    const views = globSync('console/**/*.tsx').filter((file) => !file.startsWith('console/resources/client-commands/'));
    const texts = views.map((file) => [file, readFileSync(file, 'utf8')] as const);
    const others = texts.filter(([, text]) =>
      /\b(?:ionosctl|cumulet|aws s3|kcat|curl) (?!token generate|up --machines|command")[a-z-]/.test(text),
    );
    assert.ok(views.length > 50);
    assert.deepEqual(
      others.map(([file]) => file),
      [],
    );
  });
});
