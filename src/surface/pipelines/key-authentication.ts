// The authentication of a pipeline's own endpoint: by the key of the pipeline that the path names. It speaks for the
// contract, and has no user's rights.
import { Fault } from '../../base/fault.ts';
import { keyCaller } from '../../core/access.ts';
import type { Authentication, Exchange } from '../http/exchange.ts';
import type { PipelineFacts, PipelineKeys } from './key-check.ts';

export interface KeyAuthentication<Facts> {
  authentication: Authentication;
  pipelineOf(x: Exchange): Facts; // of a call that was authenticated
}

export function keyAuthentication<Facts extends PipelineFacts>(keys: PipelineKeys<Facts>): KeyAuthentication<Facts> {
  const found = new WeakMap<Exchange, Facts>();
  return {
    authentication: {
      schemes: {
        key: {
          type: 'apiKey',
          in: 'header',
          name: 'APIKEY',
          description: 'The key of the pipeline, shown with its creation.',
        },
        keyBearer: { type: 'http', scheme: 'bearer', description: 'The same key.' },
      },
      async findCaller(x) {
        const pipeline = await demandKey(keys, x);
        found.set(x, pipeline);
        return keyCaller(pipeline.contract, pipeline.id, `key of pipeline ${pipeline.id}`);
      },
    },
    pipelineOf: (x) => found.get(x) as Facts,
  };
}

async function demandKey<Facts>(keys: PipelineKeys<Facts>, x: Exchange): Promise<Facts> {
  const key = keyOf(x);
  if (key === undefined)
    throw new Fault('unauthenticated', "The pipeline's key is missing: send it as APIKEY or as a bearer token.");
  const checked = await keys.check(x.params[0] ?? '', key);
  if (checked === 'wrong') throw new Fault('unauthenticated', 'Unknown pipeline or invalid key.');
  if (checked === 'other') throw new Fault('forbidden', 'The key belongs to another pipeline of the contract.');
  return checked.pipeline;
}

// Agents that can send neither of the two use Basic credentials with the key as the password.
function keyOf({ req: { headers } }: Exchange): string | undefined {
  const { apikey, authorization = '' } = headers;
  if (typeof apikey === 'string' && apikey !== '') return apikey.trim();
  const [, scheme = '', given = ''] = /^(bearer|basic)\s+(\S+)\s*$/i.exec(authorization) ?? [];
  if (scheme.toLowerCase() === 'bearer') return given;
  if (scheme.toLowerCase() !== 'basic') return undefined;
  const text = Buffer.from(given, 'base64').toString('utf8');
  return text.slice(text.indexOf(':') + 1);
}
