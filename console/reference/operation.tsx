// An opened operation: a form for parameters and body, the call as a command, the region's answer, and the documented
// answers. Sent and returned ids are filled in for other operations.
import { useComputed, useSignal } from '@preact/signals';
import { Fragment } from 'preact';
import { useRef } from 'preact/hooks';
import { Actions, Button } from '../components/button.tsx';
import { Choice, Labelled } from '../components/field.tsx';
import { useResource } from '../components/resource.ts';
import { Copyable } from '../components/secret-dialog.tsx';
import { Failure, Loaded } from '../components/states.tsx';
import { Answer, type AnswerFacts, answerTo } from './answer.tsx';
import { caller, callerHeaders, type Takes } from './caller.ts';
import { type ApiDocument, type ApiOperation, operationIn, type Parameter } from './document.ts';
import { curlOf, type Filled, fieldName, requestOf } from './request.ts';
import { SchemaView } from './schema.tsx';

export interface OperationProps {
  id: string;
  load(): Promise<ApiDocument>;
  takes: Takes;
}

export function Operation({ id, load, takes }: OperationProps) {
  const resource = useResource(async () => {
    const document = await load();
    const operation = operationIn(document, id);
    if (!operation)
      throw new Error('This operation is no longer in the OpenAPI document of the service. Load the page again.');
    return { document, operation };
  });
  return (
    <Loaded resource={resource} what="the operation">
      {(found) => <Opened {...found} takes={operationTakes(found.operation, takes)} />}
    </Loaded>
  );
}

const operationTakes = ({ security = [] }: ApiOperation, takes: Takes): Takes =>
  security.length === 0 ? 'nothing' : takes;

const known = new Map<string, string>(); // ids by parameter name, for this page only

type OpenedProps = { document: ApiDocument; operation: ApiOperation; takes: Takes };
type Outcome = AnswerFacts | { error: unknown };

function Opened({ document, operation, takes }: OpenedProps) {
  const filled = useSignal<Filled>(firstValues(operation));
  const outcome = useSignal<Outcome | undefined>(undefined);
  const calling = useSignal<AbortController | undefined>(undefined);
  const curl = useComputed(() => curlOf(requestOf(operation, filled.value), location.origin, credentialText(takes)));
  const form = useRef<HTMLFormElement>(null);
  const send = async (event: Event): Promise<void> => {
    event.preventDefault();
    const ending = new AbortController();
    calling.value = ending;
    const request = requestOf(operation, filled.value);
    const headers = { ...request.headers, ...(takes !== 'nothing' && callerHeaders(takes)) };
    outcome.value = await answerTo({ ...request, headers }, ending.signal).catch((error: unknown) => ({ error }));
    calling.value = undefined;
    remember(operation, filled.value, outcome.value);
  };
  const onInput = (): void => {
    const entries = [...new FormData(form.current ?? undefined)].map(([name, value]) => [name, String(value)]);
    filled.value = Object.fromEntries(entries) as Filled;
  };
  return (
    <form ref={form} onSubmit={(event) => void send(event)} onInput={onInput} onChange={onInput}>
      <div class="parameters">
        {(operation.parameters ?? []).map((one) => (
          <ParameterField key={fieldName(one)} parameter={one} value={filled.value[fieldName(one)] ?? ''} />
        ))}
      </div>
      <BodyField document={document} operation={operation} value={filled.value.body ?? ''} />
      <Actions>
        <button type="submit" aria-disabled={calling.value !== undefined}>
          Send
        </button>
        {calling.value && <Button text="Stop waiting" look="plain" onPress={() => calling.value?.abort()} />}
      </Actions>
      <div class="outcome" aria-live="polite">
        {outcome.value &&
          ('error' in outcome.value ? <Failure error={outcome.value.error} /> : <Answer {...outcome.value} />)}
      </div>
      <details>
        <summary>Command</summary>
        <Copyable title="curl command" text={curl.value} />
      </details>
      <Answers document={document} operation={operation} />
    </form>
  );
}

function firstValues({ parameters = [], requestBody }: ApiOperation): Filled {
  const values: Record<string, string> = {};
  for (const one of parameters) if (one.in === 'path') values[fieldName(one)] = known.get(one.name) ?? '';
  const [content] = Object.values(requestBody?.content ?? {});
  if (content) values.body = content.example === undefined ? '' : JSON.stringify(content.example, null, 2);
  return values;
}

function remember({ operationId, parameters = [] }: ApiOperation, filled: Filled, outcome: Outcome | undefined): void {
  for (const one of parameters) {
    const value = filled[fieldName(one)] ?? '';
    if (one.in === 'path' && value !== '') known.set(one.name, value);
  }
  const isMade = operationId.endsWith('_create') && outcome && 'status' in outcome && outcome.status < 300;
  if (isMade && outcome.id !== undefined) known.set(`${operationId.split('_').at(-2)}Id`, outcome.id);
}

function credentialText(takes: Takes): string {
  if (takes === 'key') return 'APIKEY: $KEY';
  return takes === 'token' ? 'Authorization: Bearer $IONOS_TOKEN' : '';
}

function ParameterField({ parameter, value }: { parameter: Parameter; value: string }) {
  const { name, in: place, description, required, schema } = parameter;
  const words = schema.type === 'boolean' ? [true, false] : schema.enum?.filter((word) => word !== null);
  const [example] = schema.examples ?? [];
  const shared = { name: fieldName(parameter), required: required === true };
  // Sends the session's contract, unless the user types another one.
  const usual = name === 'X-Contract-Number' ? caller.session.value?.contract : example;
  return (
    <Labelled title={required ? `${name} (required)` : name}>
      {(id) => (
        <>
          {words ? (
            <Choice
              id={id}
              {...shared}
              value={value}
              options={[['', ''], ...words.map((word): [string, string] => [String(word), String(word)])]}
              onChange={() => undefined}
            />
          ) : (
            <input id={id} {...shared} autocomplete="off" placeholder={String(usual ?? '')} value={value} />
          )}
          <p class="hint">
            {place}: {description}
          </p>
        </>
      )}
    </Labelled>
  );
}

function BodyField({ document, operation: { requestBody }, value }: Omit<OpenedProps, 'takes'> & { value: string }) {
  const [body] = Object.entries(requestBody?.content ?? {});
  if (!body) return null;
  const [type, { schema }] = body;
  return (
    <>
      <Labelled title={`Body (${type})`}>
        {(id) => (
          <textarea
            id={id}
            name="body"
            class="code"
            rows={Math.min(20, Math.max(3, value.split('\n').length))}
            spellcheck={false}
            autocomplete="off"
            value={value}
          />
        )}
      </Labelled>
      <details>
        <summary>Body schema</summary>
        <SchemaView document={document} schema={schema} isSent />
      </details>
    </>
  );
}

const Answers = ({ document, operation: { responses } }: Omit<OpenedProps, 'takes'>) => (
  <details>
    <summary>Answers</summary>
    <dl class="answers">
      {responses.map(([status, { description, content }]) => {
        const [first] = Object.entries(content ?? {});
        return (
          <Fragment key={status}>
            <dt>{status}</dt>
            <dd>
              {description}
              {first && Number(status) < 400 && (
                <>
                  <p class="type">{Object.keys(content ?? {}).join(', ')}</p>
                  <SchemaView document={document} schema={first[1].schema} isSent={false} />
                </>
              )}
            </dd>
          </Fragment>
        );
      })}
    </dl>
  </details>
);
