// OpenAPI schemas of verdicts and flows.
import type { Values } from '../../base/json.ts';
import { always, textSchema, timeSchema, wholeSchema } from './openapi.ts';

const orNull = (schema: Values): Values => ({ ...schema, type: [schema.type as string, 'null'] });
const oneOf = (...words: string[]): Values => ({ type: 'string', enum: words });

const rule = always(
  {
    id: textSchema,
    type: oneOf('firewall-rule', 'natgateway-rule', 'forwarding-rule'),
    name: orNull(textSchema),
    of: always({ id: textSchema, type: textSchema }),
  },
  { httpRule: textSchema },
);

const passing = {
  direction: oneOf('INGRESS', 'EGRESS'),
  sourceIp: orNull(textSchema),
  sourcePort: orNull(wholeSchema),
  targetIp: textSchema,
  targetPort: orNull(wholeSchema),
  action: oneOf('ACCEPT', 'REJECT'),
};

const hop = always(
  { ...passing, reason: textSchema },
  {
    type: textSchema,
    id: orNull(textSchema),
    datacenterId: orNull(textSchema),
    serverId: textSchema,
    rule: orNull(rule),
    foreign: { const: true, description: 'It belongs to another contract' },
  },
);

const arrival = always(
  { ip: textSchema, port: orNull(wholeSchema) },
  {
    type: oneOf('nic', 'internet', 'applicationloadbalancer'),
    id: textSchema,
    serverId: textSchema,
    datacenterId: textSchema,
    foreign: { const: true, description: 'It belongs to another contract' },
    answer: always({
      statusCode: wholeSchema,
      location: orNull(textSchema),
      contentType: orNull(textSchema),
      message: orNull(textSchema),
    }),
  },
);

const judged = {
  verdict: oneOf('ACCEPTED', 'REJECTED'),
  reason: textSchema,
  rule: orNull(rule),
  arrivedAt: orNull(arrival),
  hops: { type: 'array', items: hop },
};

// Of one packet.
export const judgedSchema: Values = always(judged);

// One packet has a verdict; of several there is a summary.
export const verdictSchema: Values = {
  type: 'object',
  properties: {
    ...judged,
    sent: wholeSchema,
    accepted: wholeSchema,
    rejected: wholeSchema,
    outcomes: { type: 'array', items: always({ count: wholeSchema, ...judged }) },
    real: {
      ...always({ result: oneOf('ACCEPTED', 'REJECTED', 'UNKNOWN'), detail: textSchema }),
      description: 'Of a real packet. UNKNOWN: nothing shows whether it has arrived',
    },
  },
};

const flow = always({
  position: wholeSchema,
  time: timeSchema,
  type: oneOf('nic', 'natgateway', 'networkloadbalancer', 'applicationloadbalancer', 'loadbalancer'),
  id: textSchema,
  ...passing,
  sourceIp: textSchema,
  sourcePort: wholeSchema,
  targetPort: wholeSchema,
  protocol: { type: 'integer', description: 'The number that IANA assigned: 6 is TCP' },
  packets: wholeSchema,
  bytes: wholeSchema,
});

export const flowsSchema = always({
  flows: { type: 'array', items: flow },
  next: { type: 'integer', description: 'The value of `since` for the next call' },
  skipped: { type: 'integer', description: 'The number of dropped entries between `since` and the first of these' },
});
