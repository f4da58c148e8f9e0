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
  type: 'flow-log',
  plural: 'flowlogs',
  parents: [nic, natGateway, networkLoadBalancer, applicationLoadBalancer],
  privilege: 'createFlowLog',
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
      says: 'Expected the name of a bucket (3 to 63 of a-z 0-9 . -), and maybe / and the beginning of the keys',
      example: 'flow-logs',
    }),
  },
  columns: ['name', 'action', 'direction', 'bucket'],
  sample: { change: { name: 'changed' } },
  create: [step('start')],
  change: [step('rename')],
  remove: [step('stop')],
  can: { replace: changeable, change: changeable, remove: [...changeable, 'BUSY'] },
  rules,
  async decide(draft, context) {
    if (draft.way === 'remove') return;
    demandShortKey(draft);
    if (draft.way === 'create') await decideCreation(draft, context);
  },
  noted: (row) => (isShownPaused(row) ? { state: 'INACTIVE' } : {}),
  notedSchema: {
    state: {
      enum: ['AVAILABLE', 'BUSY', 'INACTIVE'],
      description: 'BUSY while a request is under way, INACTIVE while its bucket can not be written to',
    },
  },
});

// Of those that are sent together with what they belong to, the second is one too many.
function rules({ at }: Draft, report: Report): void {
  if (/\.flowlogs\.items\.\[[1-9]\d*\]\.properties$/.test(at)) report('name', onlyOne);
}

const onlyOne = 'There can be one flow log only';
const maxKeyBytes = 1024; // of an object
const someSeconds = 10_000_000_000; // more digits than a time has for long

function demandShortKey(draft: Draft): void {
  const key = objectKey(String(draft.values.bucket), String(draft.values.name), someSeconds);
  if (Buffer.byteLength(key) > maxKeyBytes)
    throw refused(draft, 'name', `Name and bucket are too long: the keys of objects have at most ${maxKeyBytes} bytes`);
}

async function decideCreation(draft: Draft, { store, tools }: DecisionContext<ComputeTools>): Promise<void> {
  const above = draft.parents.at(-1) as Row;
  const claim = `${pathOf(above)} flowlog`;
  if (await store.claimed(claim))
    throw new Fault('refused', `${onlyOne}: delete that of the ${above.kind} ${above.id} first.`, { code: '200' });
  draft.reservations.claims.push(claim);
  const { name: bucket } = bucketOf(String(draft.values.bucket));
  if (!(await tools.buckets.exists(draft.caller, bucket)))
    throw refused(draft, 'bucket', `There is no bucket ${bucket}`);
  if (!(await tools.buckets.canWrite(draft.contract, bucket)))
    throw refused(draft, 'bucket', `The bucket ${bucket} can not be written to`);
}
