// The thread that decodes large pushes: the writer stores lines of all contracts, and must not wait for one of them.
import { yieldToOthers } from '../../core/threads/engine-thread.ts';
import { serveCalls, transferring } from '../../core/threads/worker-calls.ts';
import { packJob } from '../engine/packed-job.ts';
import { decodePush } from '../push/decode.ts';
import type { DecoderCalls } from './messages.ts';

yieldToOthers();

serveCalls<DecoderCalls>({
  decode(push) {
    const { job, pushed } = decodePush(push);
    if (pushed.fault || job.streams.length === 0) return { pushed };
    const packed = packJob(job);
    return transferring({ pushed, packed }, [packed.buffer]);
  },
});
