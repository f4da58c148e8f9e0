// ionosctl, where it is installed, with servers, volumes, NICs and snapshots. Each command waits for its request.
import { test } from 'node:test';
import { startRegion } from '../../harness/region.ts';
import { find } from '../install.ts';
import { nothingLeft } from '../left.ts';
import { wayTo, workFolder } from '../run.ts';
import { ctlOf } from './ionosctl.ts';
import { type Kept, type Row, runTable } from './table.ts';

const ionosctl = find('CUMULET_IONOSCTL', 'ionosctl');

test('ionosctl on servers', { skip: ionosctl.skip ?? false, concurrency: true }, async (t) => {
  await using region = await startRegion({ args: ['--pace', '20'] });
  const home = workFolder(t);
  await Promise.all(
    (['direct', 'proxy'] as const).map(async (name) => {
      const ctl = ctlOf(ionosctl.path as string, region, await wayTo(region, name, home));
      const kept: Kept = { tag: ctl.tag, premium: 'SSD Premium', xs: 'name=Basic Cube XS', password: 'APassword1' };
      await t.test(name, (inner) => runTable(inner, ctl, [...catalogue, ...servers, ...disks, ...ends], kept));
    }),
  );
  await nothingLeft(t, region);
});

const dc = '--datacenter-id {dc}';
const web = `${dc} --server-id {web}`;

const catalogue: Row[] = [
  {
    run: 'template list -F {xs}',
    proves: 'CORE-10',
    finds: ['items[].properties.{c: cores, r: ram, s: storageSize}', [{ c: 1, r: 2048, s: 60 }]],
  },
  { run: 'template list -F {xs}', take: { template: 'items.0.id' } },
  { run: 'template get --template-id {template}', says: /Basic Cube XS/ },
  {
    run: 'image list -F imageAliases=ubuntu:latest -F imageType=CDROM -F location=de/txl',
    proves: 'CORE-18',
    take: { iso: 'items.0.id' },
  },
  {
    run: 'image list -F imageAliases=debian:latest -F imageType=HDD -F location=de/txl -F cloudInit=V1',
    proves: 'CORE-18',
    take: { image: 'items.0.id' },
  },
  { run: 'image list --depth 0', finds: ['items[0].properties', null] },
  { run: 'image get --image-id {image}', shows: { imageType: 'HDD', location: 'de/txl', public: true } },
];

const servers: Row[] = [
  { run: 'datacenter create --name {tag}-dc --location de/txl', keep: 'dc' },
  { run: `lan create ${dc} --name outside --public`, keep: 'outside', shows: { public: true } },
  {
    run: 'ipblock create --name {tag}-ips --location de/txl --size 2',
    keep: 'block',
    take: { ip: 'properties.ips.0' },
  },
  {
    run: `server create ${dc} --name web --type ENTERPRISE --cores 2 --ram 2GB --availability-zone ZONE_1`,
    proves: 'CORE-07, CORE-22',
    keep: 'web',
    shows: { name: 'web', cores: 2, ram: 2048, type: 'ENTERPRISE', availabilityZone: 'ZONE_1', vmState: 'RUNNING' },
  },
  {
    run: `server create ${dc} --name shared --type VCPU --cores 1 --ram 1024`,
    proves: 'CORE-08',
    keep: 'shared',
    shows: { cores: 1, ram: 1024, type: 'VCPU' },
  },
  {
    run: `server create ${dc} --name cube --type CUBE --template-id {template} --image-alias debian:latest
      --password {password} --promote-volume`,
    proves: 'CORE-10',
    keep: 'cube',
    shows: { cores: 1, ram: 2048, type: 'CUBE', templateUuid: '{template}' },
  },
  { run: `server list ${dc} -F type=CUBE`, proves: 'CORE-06', finds: ['items[].id', ['{cube}']] },
  { run: `server list ${dc} -F name=WEB,type=enterprise`, finds: ['items[].id', ['{web}']] },
  { run: `server list ${dc} --depth 0 --order-by name`, finds: ['items[].properties', []] },
  {
    run: `server list ${dc} --depth 3 -F type=CUBE`,
    finds: ['items[].entities.volumes.items[].properties.[type, size]', [['DAS', 60]]],
  },
  {
    run: `server get ${dc} --server-id {cube}`,
    shows: { vmState: 'RUNNING' },
    take: { das: 'properties.bootVolume.id' },
  },
  {
    run: `server update ${dc} --server-id {web} --cores 4 --ram 4096 --name site`,
    proves: 'CORE-19',
    shows: { cores: 4, ram: 4096, name: 'site' },
  },
  {
    run: `server update ${dc} --server-id {web} --cpu-family AMD_EPYC`,
    proves: 'CORE-08',
    shows: { cpuFamily: 'AMD_EPYC' },
  },
  { run: `server update ${dc} --server-id {shared} --cpu-family AMD_EPYC`, proves: 'CORE-08', fails: /422[\s\S]*vCPU/ },
  { run: `server update ${dc} --server-id {cube} --cores 2`, proves: 'CORE-10', fails: /422[\s\S]*template/ },
  { run: `server create ${dc} --cores 2 --ram 2048 --availability-zone ZONE_3`, proves: 'CORE-09', fails: /422/ },
  { run: `server create ${dc} --cores 2 --ram 1000`, proves: 'CORE-07', fails: /256/ },
  { run: `server create ${dc} --cores 63 --ram 2048`, proves: 'CORE-07', fails: /422[\s\S]*62/ },
  { run: `server stop ${web}`, proves: 'CORE-19' },
  { run: `server get ${web}`, shows: { vmState: 'SHUTOFF' } },
  { run: `server start ${web}`, proves: 'CORE-19' },
  { run: `server get ${web}`, shows: { vmState: 'RUNNING' } },
  { run: `server reboot ${web}`, proves: 'CORE-19' },
  { run: `server suspend ${dc} --server-id {cube}`, proves: 'CORE-12' },
  { run: `server get ${dc} --server-id {cube}`, shows: { vmState: 'SUSPENDED' } },
  { run: `server resume ${dc} --server-id {cube}`, proves: 'CORE-12' },
  { run: `server get ${dc} --server-id {cube}`, shows: { vmState: 'RUNNING' } },
  { run: `server console get ${web}`, says: /https?:\/\/\S+/ },
  { run: `server token get ${web}`, says: /\S{20}/ },
  { run: `server gpu list ${web}`, finds: ['items', []] },
];

const nics: Row[] = [
  {
    run: `nic create ${web} --name first --lan-id {outside} --ips {ip}`,
    proves: 'CORE-15',
    keep: 'nic',
    shows: { name: 'first', lan: 1, dhcp: true, ips: ['{ip}'], firewallActive: false },
  },
  { run: `nic create ${web} --name second --lan-id 7 --dhcp=false`, keep: 'other', shows: { lan: 7, dhcp: false } },
  { run: `lan get ${dc} --lan-id 7`, shows: { public: false } },
  { run: `nic list ${web} -F name=FIRST`, finds: ['items[].id', ['{nic}']] },
  {
    run: `nic update ${web} --nic-id {nic} --name renamed --firewall-active`,
    shows: { name: 'renamed', firewallActive: true },
  },
  { run: `nic get ${web} --nic-id {nic}`, shows: { name: 'renamed', ips: ['{ip}'], lan: 1 } },
  { run: 'ipconsumer list --ipblock-id {block}', says: /{ip}[\s\S]*{nic}/ },
  { run: 'ipblock delete --ipblock-id {block}', proves: 'CORE-16', fails: /422/ },
  { run: `ipfailover add ${web} --lan-id {outside} --nic-id {nic} --ip {ip}`, says: /{nic}\s+{ip}/ },
  { run: `ipfailover list ${dc} --lan-id {outside}`, says: /{nic}\s+{ip}/ },
  { run: `ipfailover remove ${web} --lan-id {outside} --nic-id {nic} --ip {ip}` },
  { run: `nic delete ${web} --nic-id {other}` },
  { run: `nic get ${web} --nic-id {other}`, fails: /404/ },
];

const disks: Row[] = [
  ...nics,
  {
    run: `volume create ${dc} --name {tag}-system --size 10 --type {premium} --image-alias ubuntu:latest
      --password {password}`,
    proves: 'CORE-13',
    keep: 'system',
    shows: { size: 10, type: 'SSD Premium', bus: 'VIRTIO', licenceType: 'LINUX', bootServer: null },
  },
  {
    run: `volume create ${dc} --name {tag}-data --size 5GB --type HDD --licence-type OTHER`,
    keep: 'data',
    shows: { size: 5, type: 'HDD', licenceType: 'OTHER', image: null },
  },
  {
    run: `volume create ${dc} --size 5 --image-id {image} --password {password} --user-data bm90-IGNsb3Vk`,
    proves: 'CORE-14',
    fails: /422/,
  },
  { run: `volume list ${dc} -F name={tag},type=hdd`, finds: ['items[].id', ['{data}']] },
  { run: `volume update ${dc} --volume-id {data} --size 8 --name {tag}-more`, shows: { size: 8, name: '{tag}-more' } },
  { run: `volume update ${dc} --volume-id {data} --size 3`, proves: 'CORE-13', fails: /422/ },
  { run: `server volume attach ${web} --volume-id {system}`, proves: 'CORE-19', shows: { bootServer: '{web}' } },
  { run: `server volume attach ${web} --volume-id {data}`, shows: { bootServer: '{web}' } },
  { run: `server volume list ${web}`, finds: ['items[].id', ['{system}', '{data}']] },
  { run: `server volume get ${web} --volume-id {data}`, shows: { size: 8 } },
  { run: `server update ${web} --volume-id {data}`, finds: ['properties.bootVolume.id', '{data}'] },
  { run: `server cdrom attach ${web} --cdrom-id {iso}`, shows: { imageType: 'CDROM' } },
  { run: `server cdrom list ${web}`, finds: ['items[].id', ['{iso}']] },
  { run: `server cdrom get ${web} --cdrom-id {iso}`, shows: { location: 'de/txl' } },
  { run: `server update ${web} --cdrom-id {iso}`, finds: ['properties.[bootCdrom.id, bootVolume]', ['{iso}', null]] },
  { run: `server cdrom detach ${web} --cdrom-id {iso}` },
  { run: `server cdrom list ${web}`, finds: ['items', []] },
  { run: `server volume detach ${web} --volume-id {data}`, proves: 'CORE-19' },
  { run: `server volume detach ${dc} --server-id {cube} --volume-id {das}`, proves: 'CORE-10', fails: /422/ },
  {
    run: `snapshot create ${dc} --volume-id {system} --name {tag}-copy --description before`,
    proves: 'CORE-17',
    keep: 'snapshot',
    shows: { name: '{tag}-copy', description: 'before', location: 'de/txl', size: 10, licenceType: 'LINUX' },
  },
  { run: 'snapshot list -F name={tag}', finds: ['items[].id', ['{snapshot}']] },
  {
    run: 'snapshot update --snapshot-id {snapshot} --name {tag}-kept --description after',
    shows: { name: '{tag}-kept', description: 'after' },
  },
  { run: 'snapshot get --snapshot-id {snapshot}', shows: { name: '{tag}-kept' } },
  { run: `snapshot restore ${dc} --volume-id {system} --snapshot-id {snapshot}`, proves: 'CORE-17', waits: false },
  { run: `volume get ${dc} --volume-id {system}`, finds: ['metadata.state', 'AVAILABLE'] },
  {
    run: `volume create ${dc} --name {tag}-seeded --size 12 --image-id {snapshot}`,
    proves: 'CORE-17',
    keep: 'seeded',
    shows: { image: '{snapshot}', size: 12 },
  },
  ...labelsOf('server', web, 'web'),
  ...labelsOf('volume', `${dc} --volume-id {data}`, 'data'),
  ...labelsOf('snapshot', '--snapshot-id {snapshot}', 'snapshot'),
];

function labelsOf(type: string, on: string, name: string): Row[] {
  const label = `--resource-type ${type} ${on} --label-key stage`;
  return [
    { run: `label add ${label} --label-value live` },
    { run: `label list --resource-type ${type} ${on}`, says: /stage\s+live/ },
    { run: `label get ${label}`, says: /stage\s+live/ },
    { run: `label get-by-urn --label-urn urn:label:${type}:{${name}}:stage`, says: new RegExp(`${type}\\s+{${name}}`) },
    { run: `label remove ${label}` },
    { run: `label get ${label}`, fails: /404/ },
  ];
}

const ends: Row[] = [
  { run: `request list -F method=POST,url=create-snapshot --depth 2`, finds: ['length(items) > `0`', true] },
  { run: 'contract get --resource-limits CORES', proves: 'CORE-21', says: /\d+\s+\d+\s*$/ },
  { run: 'snapshot delete --snapshot-id {snapshot}' },
  { run: 'snapshot get --snapshot-id {snapshot}', fails: /404/ },
  { run: `volume delete ${dc} --volume-id {seeded}` },
  { run: `volume delete ${dc} --volume-id {data}` },
  { run: `volume delete ${dc} --volume-id {das}`, proves: 'CORE-10', fails: /422/ },
  { run: `server delete ${dc} --server-id {cube}` },
  { run: `volume get ${dc} --volume-id {das}`, fails: /404/ },
  { run: `server delete ${web}` },
  { run: `volume get ${dc} --volume-id {system}`, shows: { bootServer: null } },
  { run: `server delete ${dc} --all` },
  { run: `server list ${dc}`, finds: ['items', []] },
  { run: 'ipblock delete --ipblock-id {block}', proves: 'CORE-16' },
  { run: `datacenter delete ${dc}`, proves: 'CORE-05' },
  { run: `datacenter get ${dc}`, fails: /404/ },
];
