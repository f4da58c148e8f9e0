// Whether the caller of one request may make another call. The stages of that call itself decide, up to `authorize`, so
// an answer can't differ from the rule.
import { Fault } from '../base/fault.ts';
import { locate } from './http/address.ts';
import { Exchange } from './http/exchange.ts';
import { authorize, route, type Surface } from './http/stages.ts';

// `path` begins with the prefix of a service. Undefined: the caller may, even if the state does not allow it now.
export type CallRefusal = (x: Exchange, method: string, path: string) => Promise<Fault | undefined>;

export const callRefusal =
  (surface: Surface): CallRefusal =>
  async (x, method, path) => {
    try {
      const checked = exchangeFor(surface, x, method, path);
      route(checked, surface);
      await authorize(checked);
      return undefined;
    } catch (error) {
      if (error instanceof Fault) return isOfRights(error) ? error : undefined;
      throw error;
    }
  };

function exchangeFor({ table }: Surface, x: Exchange, method: string, path: string): Exchange {
  const located = locate(table, x.host, path);
  if (!located) throw new Fault('missing', `There is no ${path} here.`);
  const checked = new Exchange(x.req, undefined, x.secure);
  checked.wait.until = 0; // does not wait for busy resources
  return Object.assign(checked, located, { id: x.id, method, host: x.host, base: x.base, caller: x.caller });
}

const isOfRights = ({ kind }: Fault): boolean => kind === 'forbidden' || kind === 'missing' || kind === 'method';
