// Engines of a region with several nodes. One node is the home of all machines and disks. The other nodes forward each
// call that needs a real machine or disk to it, as a message that only nodes of the region can write.
import { Fault, type FaultKind } from '../../base/fault.ts';
import type { Json, Values } from '../../base/json.ts';
import type { Seal } from '../../base/seal.ts';
import type { EngineHome } from '../../core/nodes/engine-home.ts';
import { json, type Service } from '../../surface/http/exchange.ts';
import { forwardMessage } from '../../surface/http/forward.ts';
import { renderPlatformFault } from '../../surface/http/payload.ts';
import { EngineGone } from './engine-gone.ts';
import type { Engines } from './engines.ts';

export interface HomedTools {
  home: EngineHome;
  seal: Seal;
  real: () => number;
  inTurn(serverId: string, work: () => Promise<unknown>): Promise<unknown>; // with the home's own work on the machine
}

// What needs the engine itself. All other methods only compute with handles, or are called at the home.
const forwarded = {
  machines: ['apply', 'destroy', 'usage', 'console', 'consoleLines', 'addresses'],
  disks: ['apply', 'remove'],
  network: ['sendPacket'],
} as const;
type Part = keyof typeof forwarded;

interface EngineCall {
  part: Part;
  method: string;
  args: Json[];
  at: number; // an older message is refused, because it may be a recording
}

type Outcome = { value?: Json } | { fault: { kind: FaultKind; message: string; code?: string; isGone: boolean } };

const prefix = '/internal/machines';
const longestAgeMs = 120_000;
const largestCall = 16 * 1024 * 1024;

export function homedEngines(engines: Engines, tools: HomedTools): Engines {
  if (tools.home.isShared) return engines;
  return {
    ...engines,
    machines: homed('machines', engines.machines, tools),
    disks: homed('disks', engines.disks, tools),
    ...(engines.network && { network: homed('network', engines.network, tools) }),
  };
}

function homed<Engine extends object>(part: Part, engine: Engine, tools: HomedTools): Engine {
  const names: readonly string[] = forwarded[part];
  return new Proxy(engine, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      if (!names.includes(String(name))) return member.bind(target);
      return async (...args: Json[]): Promise<unknown> => {
        if (tools.home.isHere) return member.apply(target, args);
        const call = { part, method: String(name), args, at: tools.real() };
        const answer = await forwardMessage(() => messageOf(call, tools.seal), tools.home, tools.seal);
        return answer ? resultOf(answer) : member.apply(target, args);
      };
    },
  });
}

const messageOf = (call: EngineCall, seal: Seal) => ({
  path: prefix,
  headers: { 'content-type': 'application/octet-stream' },
  body: Buffer.from(seal.close(JSON.stringify(call))),
});

function resultOf({ status, body }: { status: number; body: string }): unknown {
  if (status === 503)
    throw new Fault('unavailable', 'The node that keeps the machines is starting or stopping.', { retryAfterS: 1 });
  if (status !== 200) throw new Error(`the node that keeps the machines answered ${status}: ${body.slice(0, 500)}`);
  const outcome = JSON.parse(body) as Outcome;
  if (!('fault' in outcome)) return outcome.value;
  const { kind, message, code, isGone } = outcome.fault;
  throw new (isGone ? EngineGone : Fault)(kind, message, code === undefined ? {} : { code });
}

// Answers the calls of other nodes.
export const engineCallService = (engines: Engines, tools: HomedTools): Service => ({
  name: 'machine-calls',
  title: 'Machine engine',
  description: 'Calls of other nodes of the region for the machine engine of this node.',
  prefixes: [prefix],
  hosts: [],
  isHidden: true,
  takesBasic: false,
  routes: [
    {
      method: 'POST',
      path: '/',
      operation: 'machineengine_call',
      summary: 'Call the machine engine of this node',
      open: true,
      takesBytes: true,
      bodyLimit: largestCall,
      call: async (x) => {
        const call = callIn(x.bytes, tools);
        await tools.home.demandHere();
        return json(200, await outcomeOf(engines, call, tools));
      },
    },
  ],
  renderFault: (fault) => renderPlatformFault(fault),
});

function callIn(body: Uint8Array, { seal, real }: HomedTools): EngineCall {
  try {
    const call = JSON.parse(seal.open(Buffer.from(body).toString())) as EngineCall;
    const names: readonly string[] = forwarded[call.part] ?? [];
    if (names.includes(call.method) && Math.abs(real() - call.at) <= longestAgeMs) return call;
  } catch {
    // not a message of a node
  }
  throw new Fault('unauthenticated', 'Only nodes of this region can call this address.');
}

async function outcomeOf(engines: Engines, { part, method, args }: EngineCall, tools: HomedTools): Promise<Values> {
  const engine = engines[part] as unknown as Record<string, (...args: Json[]) => Promise<Json>>;
  const work = async (): Promise<Json | undefined> => engine[method]?.(...args);
  const { id } = args[0] as { id?: string };
  const changesMachine = part === 'machines' && (method === 'apply' || method === 'destroy');
  try {
    const value = (await (changesMachine ? tools.inTurn(String(id), work) : work())) as Json | undefined;
    return value === undefined ? {} : { value };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const { kind, message, detail } = error;
    const code = detail.code === undefined ? {} : { code: detail.code };
    return { fault: { kind, message, ...code, isGone: error instanceof EngineGone } };
  }
}
