// What the three kinds of servers may be told, beyond the bounds that all have.
import type { Draft, Report } from '../../core/resource.ts';
import { templateById } from '../catalogue/catalogue.ts';

const mostVcpus = 60;

export function serverRules(draft: Draft, report: Report): void {
  const { type } = draft.values;
  if (type === 'CUBE') cubeRules(draft, report);
  else if (draft.way === 'create') sizeRules(draft, report);
  if (type === 'VCPU') vcpuRules(draft, report);
  if (type !== 'CUBE' && draft.way === 'create')
    for (const one of draft.beside)
      if (one.values.type === 'DAS') report('type', 'A DAS volume needs a server of type CUBE');
}

function sizeRules({ values }: Draft, report: Report): void {
  if (values.cores === null) report('cores', 'Attribute is required');
  if (values.ram === null) report('ram', 'Attribute is required');
  if (values.templateUuid !== null) report('templateUuid', `A server of type ${values.type} has no template`);
}

function vcpuRules({ way, values, stood }: Draft, report: Report): void {
  if (Number(values.cores) > mostVcpus)
    report('cores', `Attribute value ${values.cores} is above the maximum of ${mostVcpus} of a vCPU server`);
  const isChosen = way === 'create' ? values.cpuFamily !== null : isOther(values.cpuFamily, stood.cpuFamily);
  if (isChosen) report('cpuFamily', 'The CPU family of a vCPU server can not be chosen: leave it out', '200');
}

function cubeRules({ way, values, stood, beside }: Draft, report: Report): void {
  if (values.availabilityZone !== 'AUTO') report('availabilityZone', 'A Cube has no zone of its own: AUTO is expected');
  for (const name of ['cores', 'ram', 'cpuFamily']) {
    const isChosen = way === 'create' ? values[name] !== null : isOther(values[name], stood[name]);
    const code = name === 'cpuFamily' ? '[VDC-5-1921] ' : '';
    if (isChosen) report(name, `${code}It is fixed by the template of a Cube`, '200');
  }
  if (way !== 'create') return;
  if (values.templateUuid === null) report('templateUuid', 'Attribute is required for a server of type CUBE');
  else if (!templateById(String(values.templateUuid))) report('templateUuid', 'There is no such template');
  const das = beside.filter((one) => one.values.type === 'DAS').length;
  if (das !== 1) report('templateUuid', `A Cube is created with exactly one volume of type DAS, not ${das}`, '200');
}

const isOther = (value: unknown, stood: unknown): boolean => value !== null && value !== stood;
