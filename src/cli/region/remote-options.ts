// Options of `seed` for copies of another platform.
import type { Option } from '../../command/command.ts';

export const keepIdsOption: Option = {
  name: 'keep-ids',
  help: 'items of a dump keep their IDs and addresses, so that an existing Terraform state fits',
};

export const remoteOptions: readonly Option[] = [
  {
    name: 'from',
    takes: 'URL',
    help: 'with --dump or --diff: read the platform (https://api.ionos.com) or another region',
  },
  { name: 'token-file', takes: 'FILE', help: 'a file with the token for it (IONOS_TOKEN)' },
  { name: 'output', takes: 'FILE', help: 'write to this file; an interrupted dump continues when it is repeated' },
  { name: 'datacenter', takes: 'NAME', help: 'only this datacenter, and what it refers to' },
  { name: 'anonymise', help: 'replace the names and e-mail addresses of users' },
  { name: 'endpoints', takes: 'FILE', help: 'other addresses of services, as `env --config` writes them' },
  { name: 's3-key-file', takes: 'FILE', help: 'a file with an access key and its secret key, for buckets' },
  { name: 'objects', help: 'download the objects of buckets, into a folder next to the output' },
  { name: 'objects-max', takes: 'SIZE', help: 'at most this much: 500MB, 2GB (1GB)' },
];
