// Flow logs: which packets of an interface are recorded, and into which bucket. An interface has at most one; only its
// name can be changed. The flows are captured by capture.ts and published by publisher.ts.
import { Fault } from '../../base/fault.ts';
import { type DecisionContext, type Draft, pathOf, type Report, resource, step } from '../../core/resource.ts';
import { text } from '../../core/schema.ts';
import type { Row } from '../../core/state/engine.ts';
import { applicationLoadBalancer } from '../balancing/applicationloadbalancer.ts';
import { natGateway } from '../balancing/natgateway.ts';
import { networkLoadBalancer } from '../balancing/networkloadbalancer.ts';
import { refused } from '../lan/address-claims.ts';
import { nic } from '../lan/nic.ts';
import type { ComputeTools } from '../tools.ts';
import { bucketOf, objectKey } from './capture-rows.ts';
import { isShownPaused } from './pause.ts';

const changeable = ['AVAILABLE', 'INACTIVE'];

export const flowLog = resource<ComputeTools>({
  name: 'flowlog',
  shown: { title: 'Flow log', type: 'flow-log', columns: ['name', 'action', 'direction', 'bucket'] },
  plural: 'flowlogs',
  parents: [nic, natGateway, networkLoadBalancer, applicationLoadBalancer],
  rights: { create: 'createFlowLog' },
  actions: 'net.flowlog',
  properties: {
    name: text({ required: true, max: 255, pattern: /\S/, says: 'Expected a name that is not blank', example: 'web' }),
    action: text({
      required: true,
      immutable: true,
      oneOf: ['ACCEPTED', 'REJECTED', 'ALL'],
      anyCase: true,
      aliases: { ANY: 'ALL' },
      example: 'ALL',
    }),
    direction: text({
      required: true,
      immutable: true,
      oneOf: ['INGRESS', 'EGRESS', 'BIDIRECTIONAL'],
      anyCase: true,
      example: 'BIDIRECTIONAL',
    }),
    bucket: text({
      required: true,
      immutable: true,
      max: 1024,
      pattern: /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](\/.*)?$/,
      says: 'Expected a bucket name (3 to 63 of a-z 0-9 . -), optionally with / and a key prefix',
      example: 'flow-logs',
    }),
  },
  sample: { change: { name: 'changed' } },
  lifecycle: {
    create: [step('start')],
    change: [step('rename')],
    remove: [step('stop')],
    can: { replace: changeable, change: changeable, remove: [...changeable, 'BUSY'] },
  },
  rules,
  async decide(draft, context) {
    if (draft.way === 'remove') return;
    demandShortKey(draft);
    if (draft.way === 'create') await decideCreation(draft, context);
  },
  noted: {
    read: (row) => (isShownPaused(row) ? { state: 'INACTIVE' } : {}),
    schema: {
      state: {
        enum: ['AVAILABLE', 'BUSY', 'INACTIVE'],
        description: 'BUSY while a request is in progress, INACTIVE while its bucket is not writable',
      },
    },
  },
});

// Of several flow logs in the body of their owner, the second is refused.
function rules({ at }: Draft, report: Report): void {
  if (/\.flowlogs\.items\.\[[1-9]\d*\]\.properties$/.test(at)) report('name', onlyOne);
}

const onlyOne = 'Only one flow log is allowed';
const maxKeyBytes = 1024; // of an object
const someSeconds = 10_000_000_000; // more digits than times will have for a long time

function demandShortKey(draft: Draft): void {
  const key = objectKey(String(draft.values.bucket), String(draft.values.name), someSeconds);
  if (Buffer.byteLength(key) > maxKeyBytes)
    throw refused(draft, 'name', `Name and bucket are too long: object keys have at most ${maxKeyBytes} bytes`);
}

async function decideCreation(draft: Draft, { store, tools }: DecisionContext<ComputeTools>): Promise<void> {
  const above = draft.parents.at(-1) as Row;
  const claim = `${pathOf(above)} flowlog`;
  if (await store.claimed(claim))
    throw new Fault('refused', `${onlyOne}. Delete the one of the ${above.kind} ${above.id} first.`, { code: '200' });
  draft.reservations.claims.push(claim);
  const { name: bucket } = bucketOf(String(draft.values.bucket));
  if (!(await tools.buckets.exists(draft.caller, bucket)))
    throw refused(draft, 'bucket', `Bucket ${bucket} does not exist`);
  if (!(await tools.buckets.canWrite(draft.contract, bucket)))
    throw refused(draft, 'bucket', `Bucket ${bucket} is not writable`);
}
