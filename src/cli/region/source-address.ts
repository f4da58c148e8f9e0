// The checked address of the platform or region that is read. A shell or a region with the variables of `env --proxy`
// would reach another region there, and could compare it with itself.
import { Fault } from '../../base/fault.ts';
import { environment } from '../../config/environment.ts';
import { checkedUrl } from '../../seeds/dump/addresses.ts';
import { original } from '../env/saved-variables.ts';

export function sourceAddress(given: string): string {
  const from = checkedUrl(given);
  const { protocol, hostname } = new URL(from);
  const now = environment.variables();
  const isProxied = protocol === 'https:' && now.HTTPS_PROXY !== original(now).HTTPS_PROXY;
  if (isProxied && !now.NO_PROXY?.split(',').includes(hostname))
    throw new Fault(
      'refused',
      `env --proxy leads ${hostname} to a region. Run eval "$(${environment.command()} env --unset)" first.`,
    );
  return from;
}
