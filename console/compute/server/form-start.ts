// Initial values for a new server: a small machine with a boot volume and a NIC that the internet can reach.
import type { FirstProperties } from '../../resources/client-commands/first-command.ts';
import type { FormStart, Size } from '../../resources/form/form-start.ts';
import type { Json } from '../../resources/schema-form/form-value.ts';
import { nextLanName } from '../new-names.ts';

export const serverStart: FormStart = {
  properties: { cores: 1, ram: 2048 },
  sizes: [sizeOf(1, 2), sizeOf(2, 4), sizeOf(4, 8), sizeOf(8, 16)],
  kinds: [
    {
      isOf: ({ type }) => type === 'CUBE',
      needs: ['templateUuid'],
      without: ['cores', 'ram', 'cpuFamily', 'availabilityZone', 'nicMultiQueue'],
      nested: { volumes: { properties: { type: 'DAS' }, without: ['size'] } },
    },
    {
      isOf: ({ type }) => type === 'GPU',
      needs: ['templateUuid'],
      without: ['cores', 'ram', 'cpuFamily', 'availabilityZone', 'nicMultiQueue'],
      nested: { volumes: { properties: { type: 'SSD Premium' }, without: ['size'] } },
    },
  ],
  nested: [
    {
      of: 'volume',
      in: 'volumes',
      title: 'Boot volume',
      properties: { type: 'HDD', size: 10, imageAlias: 'ubuntu:latest' },
      only: ['imageAlias', 'imagePassword', 'sshKeys', 'type', 'size'],
      nameFor: (server) => (server === '' ? 'boot' : `${server}-disk`),
      warnsOf: warningOfImage,
    },
    {
      of: 'nic',
      in: 'nics',
      title: 'NIC',
      properties: { dhcp: true },
      only: ['dhcp'],
      nameFor: (server) => (server === '' ? 'nic' : `${server}-nic`),
      needs: {
        of: 'lan',
        by: 'lan',
        title: 'New LAN',
        properties: { public: true },
        only: ['public'],
        nameAfter: nextLanName,
        isBetter: ({ properties }) => properties.public === true,
      },
    },
  ],
};

export const firstVolume: FirstProperties = { type: 'HDD', size: 10, licenceType: 'LINUX' };

function sizeOf(cores: number, ramGb: number): Size {
  return { title: `${cores} ${cores === 1 ? 'core' : 'cores'}, ${ramGb} GB`, properties: { cores, ram: ramGb * 1024 } };
}

function warningOfImage({ imageAlias, imagePassword, sshKeys }: Readonly<Record<string, Json | undefined>>) {
  const hasKey = Array.isArray(sshKeys) && sshKeys.some((key) => key !== '');
  if (!imageAlias || imagePassword || hasKey) return undefined;
  return 'Enter a password or an SSH key. Otherwise, no one can sign in to this server.';
}
