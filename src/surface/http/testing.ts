// Host names for tests, as the platform's products have them.
import { HostNames, restApiPagesHost, type ServiceHosts } from './host-names.ts';

const storage = ['s3.', 's3-', 's3-website.', 's3-website-'].flatMap((front) => [
  `<labels>.${front}<storage-region>.ionoscloud.com`,
  `<labels>.${front}de-central.profitbricks.com`,
  `<labels>.${front}<storage-region>.<domain>`,
]);

export const sampleServices: readonly ServiceHosts[] = [
  { hosts: ['api', 's3'], wholeHosts: [...storage, restApiPagesHost] },
  { hosts: ['monitoring.<region>', '<number>-metrics.<account>.monitoring.<region>'] },
  { hosts: ['logging.<region>', '<number>-logs.<account>.logging.<region>', 'kafka.<region>'] },
  { hosts: ['dns.de-fra', 'certificate-manager.de-fra', 'inference.de-txl', 'openai.inference.de-txl'] },
];

export const namesIn = (...domains: string[]): HostNames => new HostNames(sampleServices, domains);
