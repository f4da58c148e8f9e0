// Faults in the form of OpenAI's API: `error`, and the platform's own payload for clients of the gateway.
import { Fault, type FaultDetail, type FaultKind } from '../../base/fault.ts';
import type { Json, Values } from '../../base/json.ts';
import { always, textSchema } from '../../surface/docs/openapi.ts';
import type { Reply } from '../../surface/http/exchange.ts';
import { renderPlatformFault } from '../../surface/http/payload.ts';

// An invalid parameter.
export class ParameterFault extends Fault {
  readonly parameter: string;

  constructor(parameter: string, message: string, detail: FaultDetail = { code: 'invalid_value' }) {
    super('refused', `[(root).${parameter}] ${capital(message)}`, detail);
    this.parameter = parameter;
  }
}

// The same fault, with the name of the parameter.
export const parameterFault = (parameter: string, { message, detail }: Fault): ParameterFault =>
  new ParameterFault(parameter, message, detail);

const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

const types: Partial<Record<FaultKind, string>> = {
  unauthenticated: 'authentication_error',
  forbidden: 'permission_error',
  throttled: 'rate_limit_error',
  internal: 'server_error',
  unavailable: 'server_error',
};

// A prompt that is too long is the only refusal that clients expect as 400.
const statusOf = ({ kind, detail }: Fault): number | undefined =>
  kind === 'refused' && (detail.code === 'context_length_exceeded' || detail.code === 'token_input') ? 400 : undefined;

export function renderOpenAiFault(fault: Fault): Reply {
  const status = statusOf(fault);
  const statuses = status === undefined ? {} : { [fault.kind]: status };
  const reply = renderPlatformFault(fault, statuses, { unauthenticated: 'paas-auth-1' });
  const platform = JSON.parse(String(reply.body)) as Values;
  return { ...reply, body: JSON.stringify({ error: errorOf(fault), ...platform }) };
}

export const errorOf = (fault: Fault): Json => ({
  message: fault.message,
  type: types[fault.kind] ?? 'invalid_request_error',
  param: fault instanceof ParameterFault ? fault.parameter : null,
  code: fault.detail.code ?? null,
});

const errorSchema: Values = always(
  {
    error: always({ message: textSchema, type: textSchema, param: nullable(), code: nullable() }),
    httpStatus: { type: 'integer' },
    messages: { type: 'array', items: always({ errorCode: textSchema, message: textSchema }) },
  },
  {},
);

function nullable(): Values {
  return { type: ['string', 'null'] };
}

export const openAiFailures = { 'application/json': errorSchema };
