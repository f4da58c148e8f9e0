// Initial values for a new server: a small machine with a boot volume and a NIC that the internet can reach.
import type { FirstProperties } from '../../resources/client-commands/first-command.ts';
import type { FormStart } from '../../resources/form/form-start.ts';
import type { Json } from '../../resources/schema-form/form-value.ts';

export const serverStart: FormStart = {
  properties: { cores: 1, ram: 2048 },
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
      properties: { name: 'boot', type: 'HDD', size: 10, imageAlias: 'ubuntu:latest' },
      only: ['imageAlias', 'imagePassword', 'sshKeys', 'type', 'size'],
      warnsOf: warningOfImage,
    },
    {
      of: 'nic',
      in: 'nics',
      title: 'NIC',
      properties: { dhcp: true },
      only: ['dhcp'],
      needs: {
        of: 'lan',
        by: 'lan',
        title: 'New LAN',
        properties: { public: true },
        only: ['public'],
        isBetter: ({ properties }) => properties.public === true,
      },
    },
  ],
};

export const firstVolume: FirstProperties = { type: 'HDD', size: 10, licenceType: 'LINUX' };

function warningOfImage({ imageAlias, imagePassword, sshKeys }: Readonly<Record<string, Json | undefined>>) {
  const hasKey = Array.isArray(sshKeys) && sshKeys.some((key) => key !== '');
  if (!imageAlias || imagePassword || hasKey) return undefined;
  return 'Enter a password or an SSH key. Otherwise, no one can sign in to this server.';
}
