// Rules of each server type, in addition to the limits for all of them.
import type { Draft, Report } from '../../core/resource.ts';
import { templateById } from '../catalogue/catalogue.ts';

export const mostCores = 62;
export const mostVcpus = 60;
export const mostRam = 235_520; // MB

// Their cores, RAM and storage come from a template.
export const isTemplated = (type: unknown): boolean => type === 'CUBE' || type === 'GPU';

export function serverRules(draft: Draft, report: Report): void {
  const { values, sealed } = draft;
  const { type } = values;
  if (values.placementGroupId === '') values.placementGroupId = null;
  if (values.placementGroupId !== null)
    report('placementGroupId', 'Placement groups are not supported. Omit the property');
  if (sealed.bootVolume && sealed.bootCdrom) report('bootCdrom', 'Only one of bootVolume and bootCdrom is allowed');
  const most = type === 'VCPU' ? mostVcpus : mostCores;
  if (!isTemplated(type)) {
    if (Number(values.cores) > most)
      report('cores', `Attribute value ${values.cores} is above the maximum of ${most}${ofKind(type)}`);
    if (Number(values.ram) > mostRam) report('ram', `Attribute value ${values.ram} is above the maximum of ${mostRam}`);
  }
  if (isTemplated(type)) templateRules(draft, report);
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
  if (isChosen) report('cpuFamily', "The CPU family of a vCPU server can't be chosen. Omit the property", '200');
}

function templateRules(draft: Draft, report: Report): void {
  const { way, values, previous } = draft;
  const kind = values.type === 'CUBE' ? 'A Cube' : 'A GPU server';
  if (values.availabilityZone !== 'AUTO') report('availabilityZone', `${kind} can't have a zone. Expected AUTO`);
  if (values.nicMultiQueue === true) report('nicMultiQueue', `${kind} has no multi-queue NICs`, '200');
  for (const name of ['cores', 'ram', 'cpuFamily']) {
    const isChosen = way === 'create' ? values[name] !== null : isOther(values[name], previous[name]);
    const code = name === 'cpuFamily' ? '[VDC-5-1921] ' : '';
    if (isChosen) report(name, `${code}The template of ${kind.replace('A', 'a')} determines the value`, '200');
  }
  if (way === 'create') chosenTemplate(draft, report);
}

function chosenTemplate({ values }: Draft, report: Report): void {
  const { type, templateUuid } = values;
  const template = templateById(String(templateUuid));
  if (templateUuid === null) report('templateUuid', `Attribute is required for a server of type ${type}`);
  else if (!template) report('templateUuid', `Template ${String(templateUuid).slice(0, 60)} does not exist`);
  else if (template.gpus.length > 0 !== (type === 'GPU'))
    report('templateUuid', `Template ${template.name} is not for a server of type ${type}`);
}

const isOther = (value: unknown, previous: unknown): boolean => value !== null && value !== previous;
