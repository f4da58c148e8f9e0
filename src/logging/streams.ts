// The log streams of a pipeline: the source of lines, the tag that identifies the stream, and the retention. Clients
// set the retention in two places, in the stream and in its destination; the API returns both.
import { isObject, type Json, type Values } from '../base/json.ts';
import type { Draft, Report } from '../core/resource.ts';
import { flag, integer, list, type Property, shape, text } from '../core/schema.ts';

export interface LogStream {
  tag: string;
  source: string;
  protocol: 'tcp' | 'http';
  labels: string[];
  retentionInDays: number; // 0: unlimited
}

export const mostStreams = 5;
const mostLabels = 10;
const sources = ['kubernetes', 'docker', 'systemd', 'http', 'generic'];
const days = [7, 14, 30];
export const usualDays = 30;
const unlimited = 'unlimited';

const retention = 'The retention of lines in days';
const labelName = /^[a-zA-Z_][a-zA-Z0-9_]*$/;
const ownLabels = ['tag', 'source', 'pipeline'];

export const logsProperty: Property = list(
  shape({
    source: text({
      required: true,
      oneOf: sources,
      anyCase: true,
      aliases: { 'LINUX SYSTEMD': 'systemd', 'HTTP (JSON REST API)': 'http' },
      description: `The source of the lines: ${sources.join(', ')}`,
      example: 'generic',
    }),
    tag: text({
      required: true,
      min: 3,
      max: 20,
      pattern: /^[a-zA-Z0-9]*$/,
      says: 'Expected letters and digits.',
      description: 'The tag that agents send to select this stream',
      example: 'app',
    }),
    protocol: text({ oneOf: ['tcp', 'http'], anyCase: true, description: 'http for the source http, otherwise tcp' }),
    retentionInDays: integer({
      among: days,
      words: { [unlimited]: 0 },
      omitNull: true,
      description: `${retention}; the default is ${usualDays}`,
    }),
    labels: list(text({ min: 1, max: 64, pattern: labelName, says: 'Expected the name of a label.' }), {
      default: [],
      max: mostLabels,
      description: 'Fields of records that become labels',
    }),
    public: flag({ deprecated: true, omitNull: true, description: 'Ignored; older clients send it' }),
    destinations: list(
      shape({
        type: text({ oneOf: ['loki'], default: 'loki' }),
        retentionInDays: integer({
          among: [...days, 0],
          words: { [unlimited]: 0 },
          omitNull: true,
          description: `${retention}; 0 means unlimited`,
        }),
      }),
      { default: [], max: 1, inForms: 'never', description: 'The retention in its other form' },
    ),
  }),
  { required: true, min: 1, max: mostStreams, example: [{ source: 'generic', tag: 'app', protocol: 'http' }] },
);

// Rules that the schema can't express. Values may still have wrong types.
export function streamRules({ values, previous }: Draft, report: Report): void {
  const streams = objectsIn(values.logs);
  const tags = new Set<Json>();
  for (const [at, stream] of streams.entries()) {
    const { tag = null, source, protocol, labels } = stream;
    if (tag !== null && tags.has(tag)) report(`logs.[${at}].tag`, `The tag '${tag}' is used twice`);
    tags.add(tag);
    if (source === 'http' && protocol === 'tcp')
      report(`logs.[${at}].protocol`, 'The source http needs the protocol http');
    const own = Array.isArray(labels) ? labels.find((one) => ownLabels.includes(String(one))) : undefined;
    if (own !== undefined) report(`logs.[${at}].labels`, `The label ${own} is reserved: every stream has it already`);
    if (retentionOf(stream, previousDays(previous, tag)) === undefined)
      report(`logs.[${at}].retentionInDays`, 'The retention of the destination differs from that of the stream');
  }
}

// The stored and returned form: complete, and with both forms of the retention.
export function completeStreams(values: Values, previous: Values): Json {
  return objectsIn(values.logs).map((stream) => {
    const kept = retentionOf(stream, previousDays(previous, stream.tag ?? null)) ?? usualDays;
    return {
      ...stream,
      protocol: stream.protocol ?? (stream.source === 'http' ? 'http' : 'tcp'),
      retentionInDays: kept === 0 ? unlimited : kept,
      destinations: [{ type: 'loki', retentionInDays: kept }],
    };
  });
}

export const streamsOf = (values: Values): LogStream[] =>
  objectsIn(values.logs).map((stream) => ({
    tag: String(stream.tag),
    source: String(stream.source),
    protocol: stream.protocol === 'http' ? 'http' : 'tcp',
    labels: Array.isArray(stream.labels) ? stream.labels.map(String) : [],
    retentionInDays: retentionOf(stream, undefined) ?? usualDays,
  }));

// If the two forms differ, the changed one counts: clients that know only one of them return the other one unchanged.
// Undefined: both were changed.
function retentionOf(stream: Values, before: number | undefined): number | undefined {
  const [destination] = objectsIn(stream.destinations);
  const [own, its] = [daysIn(stream.retentionInDays), daysIn(destination?.retentionInDays)];
  if (own === undefined || its === undefined || own === its) return own ?? its ?? before ?? usualDays;
  if (own === before) return its;
  return its === before ? own : undefined;
}

const daysIn = (value: Json | undefined): number | undefined =>
  value === unlimited ? 0 : typeof value === 'number' ? value : undefined;

function previousDays(previous: Values, tag: Json): number | undefined {
  const stream = objectsIn(previous.logs).find((one) => one.tag === tag);
  return stream && daysIn(stream.retentionInDays);
}

const objectsIn = (value: Json | undefined): Values[] => (Array.isArray(value) ? value.filter(isObject) : []);
