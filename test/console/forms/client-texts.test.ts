// Tests of client commands: correct for every resource, with remarks about values that a client can't set.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { after, before, suite, test } from 'node:test';
import type { Call } from '../../../console/resources/client-commands/call.ts';
import { clientNames } from '../../../console/resources/client-commands/client-names.ts';
import { clientTexts, withRemarks } from '../../../console/resources/client-commands/client-texts.ts';
import { firstCommand } from '../../../console/resources/client-commands/first-command.ts';
import type { ResourceModel } from '../../../console/resources/model.ts';
import { type Region, startRegion } from '../../harness/region.ts';
import { firstServer, ownSchema, pathsIn } from '../harness/form-samples.ts';

const call = (operation: string, path: string, body: unknown, more: Partial<Call> = {}): Call => ({
  operation: { operation, method: 'POST', path },
  url: `http://h${path}`,
  params: {},
  body,
  ...more,
});

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
    assert.equal(
      firstCommand(
        needed('datacenter_create', '/datacenters', { name, location }, ['location']),
        { location: ['de/txl'] },
        at,
      ),
      'ionosctl compute datacenter create \\\n  --name first \\\n  --location de/txl',
    );
    const unknown = firstCommand(
      needed('x_create', '/x', { size, zoneName: name, note: name }, ['size', 'zoneName']),
      {},
      at,
    );
    assert.match(unknown, /^curl -X POST 'http:\/\/h\/x'/);
    assert.match(unknown, /"size": 1,\s+"zoneName": "'"\$ZONE_NAME"'"\s/);
    assert.ok(!unknown.includes('note'), unknown);
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

  before(async () => {
    region = await startRegion();
    models = (await region.call<{ resources: ResourceModel[] }>('GET', '/console/model')).body.resources;
  });
  after(() => region.stop());

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
});
