// Rules of each of the three types of servers, besides the limits that all have.
import type { Draft, Report } from '../../core/resource.ts';
import { templateById } from '../catalogue/catalogue.ts';

export const mostCores = 62;
export const mostVcpus = 60;

export function serverRules(draft: Draft, report: Report): void {
  const { values, sealed } = draft;
  const { type } = values;
  if (values.placementGroupId === '') values.placementGroupId = null;
  if (values.placementGroupId !== null) report('placementGroupId', 'There are no placement groups: leave it out');
  if (sealed.bootVolume && sealed.bootCdrom)
    report('bootCdrom', 'Only one of bootVolume and bootCdrom can be given: a server boots from one thing');
  const most = type === 'VCPU' ? mostVcpus : mostCores;
  if (Number(values.cores) > most)
    report('cores', `Attribute value ${values.cores} is above the maximum of ${most}${ofKind(type)}`);
  if (type === 'CUBE') cubeRules(draft, report);
  else if (draft.way === 'create') sizeRules(draft, report);
  if (type === 'VCPU') vcpuRules(draft, report);
  if (type !== 'CUBE' && draft.way === 'create')
    for (const one of draft.related)
      if (one.values.type === 'DAS') report('type', 'A DAS volume needs a server of type CUBE');
}

const ofKind = (type: unknown): string => (type === 'VCPU' ? ' of a vCPU server' : '');

function sizeRules({ values }: Draft, report: Report): void {
  if (values.cores === null) report('cores', 'Attribute is required');
  if (values.ram === null) report('ram', 'Attribute is required');
  if (values.templateUuid !== null) report('templateUuid', `A server of type ${values.type} has no template`);
}

function vcpuRules({ way, values, previous }: Draft, report: Report): void {
  const isChosen = way === 'create' ? values.cpuFamily !== null : isOther(values.cpuFamily, previous.cpuFamily);
  if (isChosen) report('cpuFamily', 'The CPU family of a vCPU server can not be chosen: leave it out', '200');
}

function cubeRules({ way, values, previous }: Draft, report: Report): void {
  if (values.availabilityZone !== 'AUTO') report('availabilityZone', 'A Cube has no zone of its own: AUTO is expected');
  if (values.nicMultiQueue === true) report('nicMultiQueue', 'A Cube has no multi-queue NICs', '200');
  for (const name of ['cores', 'ram', 'cpuFamily']) {
    const isChosen = way === 'create' ? values[name] !== null : isOther(values[name], previous[name]);
    const code = name === 'cpuFamily' ? '[VDC-5-1921] ' : '';
    if (isChosen) report(name, `${code}It is fixed by the template of a Cube`, '200');
  }
  if (way !== 'create') return;
  if (values.templateUuid === null) report('templateUuid', 'Attribute is required for a server of type CUBE');
  else if (!templateById(String(values.templateUuid))) report('templateUuid', 'There is no such template');
}

const isOther = (value: unknown, previous: unknown): boolean => value !== null && value !== previous;
