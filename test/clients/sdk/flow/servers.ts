// Servers and their devices, as SDKs see them.
import assert from 'node:assert/strict';
import type { ResourceBody } from '../../../harness/region.ts';
import { areReferences, hasRequest, idsOf, isAccepted, isDeleted, isRefused, namesOf, part, shows } from './claims.ts';
import type { Check, Checks, Refusal } from './flow.ts';
import { answerOf, hasEnded, lifeOf } from './life.ts';

const catalogue: Checks = {
  image_list: {
    title: '[CORE-18] an image is found by alias, type and location',
    verify(seen) {
      assert.equal(part(seen, 'found').items.length, 1);
      const [image] = part(seen, 'found').items as [ResourceBody];
      shows(image, { imageType: 'HDD', location: 'de/txl', public: true, cloudInit: 'V1', licenceType: 'LINUX' });
      assert.ok((image.properties.imageAliases as string[]).includes('debian:latest'));
      assert.deepEqual(part(seen, 'none').items, []);
    },
  },
  template_list: {
    title: '[CORE-10] [CORE-21] a template is found by name, with its contents',
    verify(seen) {
      assert.equal(part(seen, 'found').items.length, 1);
      shows(part(seen, 'found').items[0] as ResourceBody, {
        name: 'Basic Cube XS',
        cores: 1,
        ram: 2048,
        storageSize: 60,
      });
    },
  },
};

const firstOf = ({ entities }: ResourceBody, name: string): ResourceBody => entities[name]?.items[0] as ResourceBody;

const servers: Checks = {
  server_composite: {
    title:
      '[CORE-22] [CORE-25] a server is created with its volume, its NIC and a rule: BUSY, then AVAILABLE and RUNNING',
    verify(seen, journey) {
      isAccepted(seen, 'server', journey, 'BUSY');
      const { after } = seen;
      assert.equal(after.metadata.state, 'AVAILABLE');
      const sent = { name: 'web', cores: 2, ram: 2048, availabilityZone: 'ZONE_1' };
      shows(after, { ...sent, type: 'ENTERPRISE', vmState: 'RUNNING', hostname: 'web' });
      const volume = firstOf(after, 'volumes');
      shows(volume, {
        name: 'system',
        size: 10,
        type: 'HDD',
        bootServer: after.id,
        imagePassword: null,
        sshKeys: null,
      });
      assert.equal((after.properties.bootVolume as ResourceBody).id, volume.id);
      const nic = firstOf(after, 'nics');
      shows(nic, { name: 'first', lan: 1, dhcp: true, firewallActive: true });
      assert.equal((nic.properties.ips as string[]).length, 1);
      const rule = firstOf(nic, 'firewallrules');
      shows(rule, { name: 'http', protocol: 'TCP', portRangeStart: 80, portRangeEnd: 80, sourceIp: null });
    },
  },
  server_kinds: {
    title: '[CORE-08] [CORE-10] a vCPU server has a family that was not chosen; a Cube has the sizes of its template',
    verify(seen) {
      const [shared, cube] = [part(seen, 'shared'), part(seen, 'cube')];
      shows(shared, { type: 'VCPU', cores: 1, ram: 1024, templateUuid: null });
      assert.ok(shared.properties.cpuFamily);
      shows(cube, { type: 'CUBE', cores: 1, ram: 2048, availabilityZone: 'AUTO' });
      shows(firstOf(cube, 'volumes'), { type: 'DAS', size: 60 });
    },
  },
  server_list: {
    title: '[CORE-06] servers are listed as references, by type, and with their devices',
    verify(seen) {
      areReferences(part(seen, 'references'));
      assert.equal(part(seen, 'references').items.length, 3);
      assert.deepEqual(idsOf(part(seen, 'cubes')), [seen.cube]);
      const [web] = part(seen, 'deep').items as [ResourceBody];
      assert.deepEqual(namesOf(web.entities.volumes as ResourceBody), ['system']);
      assert.deepEqual(namesOf(web.entities.nics as ResourceBody), ['first']);
    },
  },
  server_patch: {
    title: '[CORE-19] PATCH changes only cores and memory',
    verify(seen, journey) {
      isAccepted(seen, 'server', journey, 'BUSY');
      shows(seen.after, { name: 'web', cores: 3, ram: 3072, vmState: 'RUNNING', availabilityZone: 'ZONE_1' });
    },
  },
  server_put: {
    title: '[CORE-19] PUT replaces what can be changed, and keeps its devices',
    verify(seen, journey) {
      isAccepted(seen, 'server', journey, 'BUSY');
      shows(seen.after, { name: 'site', cores: 4, ram: 4096, type: 'ENTERPRISE', vmState: 'RUNNING' });
      assert.ok(seen.after.properties.bootVolume);
    },
  },
  server_power: {
    title: '[CORE-12] [CORE-19] stop, start, reboot; suspend and resume of a Cube',
    verify(seen) {
      const acts = seen.acts as { act: string; status: number; vmState: string }[];
      assert.deepEqual(
        acts.map(({ act, status, vmState }) => `${act} ${status} ${vmState}`),
        ['stop 202 SHUTOFF', 'start 202 RUNNING', 'reboot 202 RUNNING', 'suspend 202 SUSPENDED', 'resume 202 RUNNING'],
      );
    },
  },
  server_console: {
    title: 'the console of a server has an address, and a token',
    verify(seen) {
      assert.match((seen.console as { url: string }).url, /^https?:\/\//);
      assert.ok((seen.token as { token: string }).token.length > 20);
    },
  },
  server_boot: {
    title: '[CORE-19] a server that boots from a CD-ROM has it inserted; then it boots from its volume again',
    verify(seen) {
      const [booted, { after }] = [part(seen, 'booted'), seen];
      assert.equal((booted.properties.bootCdrom as ResourceBody).id, seen.iso);
      assert.equal(booted.properties.bootVolume ?? null, null);
      assert.deepEqual(idsOf(booted.entities.cdroms as ResourceBody), [seen.iso]);
      assert.equal((after.properties.bootVolume as ResourceBody).id, seen.system);
      assert.equal(after.properties.bootCdrom ?? null, null);
    },
  },
  server_label: {
    title: 'a server takes labels, at once',
    verify(seen) {
      assert.deepEqual([answerOf(seen, 'created').status, answerOf(seen, 'changed').status], [201, 200]);
      assert.equal(answerOf(seen, 'ended').status, 200);
      shows(part(seen, 'seen').items[0] as ResourceBody, { key: 'stage', value: 'live' });
      isRefused(seen.gone, 404, '309');
    },
  },
  server_delete: {
    title: '[CORE-10] [CORE-19] a server is deleted with its volumes on request, a Cube with its DAS',
    verify(seen, journey) {
      isDeleted(seen, journey);
      isRefused(seen.das as Refusal, 422, '200', /DAS/);
      for (const gone of seen.volumes as Refusal[]) isRefused(gone, 404, '309');
    },
  },
};

// A device that is attached, seen, and detached.
export const attachment = (title: string, type: string): Check => ({
  title,
  verify(seen, journey) {
    isAccepted(answerOf(seen, 'attached'), type, journey);
    assert.ok(idsOf(part(seen, 'seen')).includes(String(seen.id)));
    hasEnded(seen, journey);
  },
});

const rule = { name: 'ssh', protocol: 'TCP', portRangeStart: 22, portRangeEnd: 22, icmpType: null, targetIp: null };

const parts: Checks = {
  volume_attach: attachment('[CORE-19] a volume is attached and detached', 'volume'),
  cdrom_attach: attachment('[CORE-19] a CD-ROM is inserted and ejected', 'image'),
  volume_life: lifeOf({
    type: 'volume',
    title: '[CORE-13] a volume is created, grows, is renamed and deleted',
    made: { name: 'data', size: 5, type: 'SSD Standard', licenceType: 'OTHER', image: null, bus: 'VIRTIO' },
    changed: { size: 7 },
    replaced: { name: 'more', size: 8, type: 'SSD Standard', licenceType: 'OTHER' },
  }),
  snapshot_life: {
    title: '[CORE-17] a snapshot of a volume is created, restores it, seeds another, and is deleted',
    verify(seen, journey) {
      isAccepted(answerOf(seen, 'created'), 'snapshot', journey);
      const { id } = answerOf(seen, 'created').body;
      assert.deepEqual(idsOf(part(seen, 'listed')), [id]);
      isAccepted(answerOf(seen, 'changed'), 'snapshot', journey);
      shows(seen.after, { name: `${journey.tag}-copy`, description: 'second', location: 'de/txl', size: 10 });
      hasRequest(answerOf(seen, 'restored'), journey);
      isAccepted(answerOf(seen, 'seeded'), 'volume', journey);
      shows(answerOf(seen, 'seeded').body, { name: 'seeded', image: id });
      hasEnded(seen, journey);
    },
  },
  nic_life: lifeOf({
    type: 'nic',
    title: '[CORE-15] a NIC is created, in a LAN that is created for it, changed and deleted',
    made: { name: 'second', lan: 2, dhcp: true, firewallActive: false, firewallType: 'INGRESS' },
    changed: { firewallActive: true },
    replaced: { name: 'put', lan: 2, dhcp: false },
  }),
  firewallrule_life: lifeOf({
    type: 'firewall-rule',
    title: '[CORE-19] a firewall rule is created, changed, replaced and deleted',
    made: rule,
    changed: { portRangeEnd: 23 },
    replaced: { name: 'any', protocol: 'TCP', sourceIp: '10.1.2.3', portRangeStart: 22, portRangeEnd: 23 },
  }),
  flowlog_life: lifeOf({
    type: 'flow-log',
    title: '[CORE-20] a flow log of a NIC is created, renamed and deleted',
    made: { name: 'log', action: 'ALL', direction: 'INGRESS', bucket: '{tag}-logs' },
    changed: { name: 'other' },
    replaced: { name: 'put', action: 'ALL' },
  }),
};

export const serverChecks: Checks = { ...catalogue, ...servers, ...parts };
