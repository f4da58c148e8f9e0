// The CPU family of a server: one that its location offers, and that is large enough.
import { Fault, type Problem } from '../../base/fault.ts';
import type { Draft } from '../../core/resource.ts';
import { report } from '../../core/schema.ts';
import type { Row } from '../../core/state/engine.ts';
import { type CpuFamily, cpuFamiliesAt } from '../catalogue/catalogue.ts';
import { refused } from '../lan/address-claims.ts';

export function chooseFamily(draft: Draft): void {
  const { values } = draft;
  const { location } = JSON.parse((draft.parents[0] as Row).body) as { location: string };
  const families = cpuFamiliesAt(location);
  const chosen = values.cpuFamily ? families.find(({ cpuFamily }) => cpuFamily === values.cpuFamily) : undefined;
  if (values.cpuFamily && !chosen) {
    const names = families.map(({ cpuFamily }) => cpuFamily).join(', ');
    const message = `Attribute value '${values.cpuFamily}' not allowed. Expected one of [${names}]`;
    throw refused(draft, 'cpuFamily', message, '109');
  }
  const [cores, ram] = [Number(values.cores), Number(values.ram)];
  const candidates = chosen ? [chosen] : families;
  const family = candidates.find(({ maxCores, maxRam }) => cores <= maxCores && ram <= maxRam);
  if (!family) throw tooLarge(draft, cores, ram, candidates, chosen?.cpuFamily ?? `A CPU family in ${location}`);
  values.cpuFamily = family.cpuFamily;
}

function tooLarge({ at }: Draft, cores: number, ram: number, families: readonly CpuFamily[], whose: string): Fault {
  const problems: Problem[] = [];
  const mostCores = Math.max(...families.map(({ maxCores }) => maxCores));
  const mostRam = Math.max(...families.map(({ maxRam }) => maxRam));
  if (cores > mostCores) report(problems, `${at}.cores`, `${whose} has at most ${mostCores} cores`, '100');
  if (ram > mostRam) report(problems, `${at}.ram`, `${whose} has at most ${mostRam} MB`, '100');
  const each = families.map((one) => `${one.cpuFamily} has at most ${one.maxCores} cores and ${one.maxRam} MB`);
  if (problems.length === 0)
    report(problems, `${at}.cores`, `No CPU family has ${cores} cores and ${ram} MB: ${each.join(', ')}`, '100');
  return new Fault('refused', problems[0]?.message ?? '', { problems });
}
