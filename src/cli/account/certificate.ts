// `certificate assign`, `certificate unassign`, `certificate list`
import { Fault } from '../../base/fault.ts';
import { type Command, dataOption, type Input, jsonOption } from '../../command/command.ts';
import { print, printJson, table } from '../../command/terminal.ts';
import { askRegion } from '../admin/operations.ts';

export const assign: Command = {
  name: 'certificate assign',
  operands: 'ID',
  mostOperands: 1,
  about:
    'Presents a certificate of the certificate manager to new TLS connections of a service, for the names in the ' +
    'certificate. ID is the id of a certificate, or of an auto-certificate, whose renewals then follow. The ' +
    "region's own certificate is presented for all other names, and if this one expires or is deleted.",
  options: [
    { name: 'to', takes: 's3|logs', help: 'the hosts of S3, or of log pipelines with their TLS listener' },
    jsonOption,
    dataOption,
  ],
  examples: [['cumulet certificate assign 0197b3c1-6c5b-7d0e-9a55-0c5d8f4f2f10 --to s3', 'for S3 over HTTPS']],
  async run(input) {
    const id = idOf(input);
    const to = input.need('to', 's3 or logs');
    const assigned = await askRegion(input.data, 'certificate/assign', { id, to });
    if (input.has('json')) printJson(assigned);
    else print(`Assigned ${assigned.id} to ${assigned.to}: ${assigned.names.join(', ') || 'it is not issued yet'}.`);
    return 0;
  },
};

export const unassign: Command = {
  name: 'certificate unassign',
  operands: 'ID',
  mostOperands: 1,
  about: "Ends all assignments of a certificate. New TLS connections get the region's own certificate again.",
  options: [jsonOption, dataOption],
  examples: [['cumulet certificate unassign 0197b3c1-6c5b-7d0e-9a55-0c5d8f4f2f10', 'from each service']],
  async run(input) {
    const { unassigned } = await askRegion(input.data, 'certificate/unassign', { id: idOf(input) });
    if (input.has('json')) printJson({ unassigned });
    else print(`The certificate is no longer presented by ${unassigned.join(' and ')}.`);
    return 0;
  },
};

export const list: Command = {
  name: 'certificate list',
  about: 'Lists the certificates that are assigned to services of the region.',
  options: [jsonOption, dataOption],
  examples: [['cumulet certificate list', 'all of them']],
  async run(input) {
    const { certificates } = await askRegion(input.data, 'certificate/list', {});
    if (input.has('json')) printJson({ certificates });
    else {
      const rows = certificates.map((one) => [
        ...[one.to, one.id, String(one.contract), one.state],
        ...[one.validUntil ?? '', one.names.join(' ')],
      ]);
      print(table(['TO', 'ID', 'CONTRACT', 'STATE', 'VALID UNTIL', 'NAMES'], rows));
    }
    return 0;
  },
};

function idOf({ operands: [id] }: Input): string {
  if (id === undefined) throw new Fault('refused', 'Name the id of a certificate or an auto-certificate.');
  return id;
}
