// Copies a contract of the platform, or of another region, into this region: first it is read and shown, then created.
// The token and the S3 key are in the form's fields only, which are removed when the source has been read.
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { isAborted } from '../api.ts';
import { Actions, Button } from '../components/button.tsx';
import { CommandLine } from '../components/command-line.tsx';
import { Form, type FormValues, type Schema } from '../components/form.tsx';
import { Empty } from '../components/states.tsx';
import { Section } from '../components/text.tsx';
import { copyHelp } from '../resources/client-commands/page-commands.ts';
import { refusalOf } from '../rights/session-rights.ts';
import { kindTitle } from '../sitemap.ts';
import { resourceUrl } from '../urls.ts';
import { applyCopy, type CopyContents, type CopyOutcome, type CopyProgress, readCopy } from './lab-api.ts';

type Step =
  | { name: 'source' }
  | { name: 'contents'; contents: CopyContents }
  | { name: 'outcome'; outcome: CopyOutcome };

const source: Schema = {
  properties: {
    from: {
      type: 'string',
      title: 'Source',
      default: 'https://api.ionos.com',
      maxLength: 2000,
      description: 'The platform, or the address of another region. It is only read.',
    },
    token: {
      type: 'string',
      title: 'Token',
      format: 'password',
      autocomplete: 'off',
      description: 'A token of the source. It is not stored.',
    },
    accessKey: {
      type: 'string',
      title: 'S3 access key',
      maxLength: 255,
      autocomplete: 'off',
      description: 'For the settings of buckets. Empty: buckets are not read.',
    },
    secretKey: {
      type: 'string',
      title: 'S3 secret key',
      format: 'password',
      maxLength: 255,
      autocomplete: 'off',
      description: 'It is not stored.',
    },
    datacenter: {
      type: 'string',
      title: 'Datacenter',
      maxLength: 255,
      description: 'Only this datacenter, by its name or ID. Empty: the whole contract.',
    },
    anonymise: { type: 'boolean', title: 'Anonymise users' },
  },
  required: ['from', 'token'],
};

const target: Schema = {
  properties: {
    keepIds: {
      type: 'boolean',
      title: 'Keep IDs and addresses',
      default: true,
      description: 'An existing Terraform state, or a script with IDs in it, then works against the copy.',
    },
  },
};

export function CopyPart() {
  const step = useSignal<Step>({ name: 'source' });
  const chosen = useSignal<FormValues>({}); // without the token and the key
  const { value } = step;
  const obstacle = refusalOf({ method: 'POST', path: '/lab/copies' });
  const restart = (): void => {
    step.value = { name: 'source' };
  };
  return (
    <Section
      title="Copy a contract"
      lead="Reads a contract of the platform, or of another region, and creates the same resources here."
    >
      {value.name === 'source' && obstacle !== undefined && <Empty text={obstacle} />}
      {value.name === 'source' && obstacle === undefined && (
        <Work
          schema={source}
          values={chosen.value}
          submit="Read"
          counted="lists"
          send={async (values, signal, onProgress) => {
            const { token: _, accessKey: __, secretKey: ___, ...kept } = values;
            chosen.value = kept;
            step.value = { name: 'contents', contents: await readCopy(values, signal, onProgress) };
          }}
        />
      )}
      {value.name === 'contents' && (
        <Contents
          contents={value.contents}
          restart={restart}
          onDone={(outcome) => {
            step.value = { name: 'outcome', outcome };
          }}
        />
      )}
      {value.name === 'outcome' && <Outcome outcome={value.outcome} restart={restart} />}
      {value.name === 'source' && <CommandLine text={copyHelp} />}
    </Section>
  );
}

interface WorkProps {
  schema: Schema;
  values?: FormValues;
  submit: string;
  counted: string; // lists
  send(values: FormValues, signal: AbortSignal, onProgress: (progress: CopyProgress) => void): Promise<void>;
  cancel?: () => void;
}

// A form whose call takes a while. The call ends if the user cancels it or leaves the page.
function Work({ counted, send, ...form }: WorkProps) {
  const progress = useSignal<CopyProgress | undefined>(undefined);
  const running = useRef<AbortController | undefined>(undefined);
  useLayoutEffect(() => () => running.current?.abort(), []);
  const follow = async (values: FormValues): Promise<void> => {
    const controller = new AbortController();
    running.current = controller;
    progress.value = { done: 0, known: 0, resources: 0 };
    try {
      await send(values, controller.signal, (one) => {
        progress.value = one;
      });
    } catch (error) {
      if (!isAborted(error)) throw error;
    } finally {
      progress.value = undefined;
    }
  };
  return (
    <div class="panel lab-copy">
      <Form {...form} send={follow} />
      {progress.value && (
        <Running progress={progress.value} counted={counted} cancel={() => running.current?.abort()} />
      )}
    </div>
  );
}

const Running = ({
  progress: { done, known, resources },
  counted,
  cancel,
}: {
  progress: CopyProgress;
  counted: string;
  cancel: () => void;
}) => (
  <div class="lab-running">
    <progress aria-label="Progress" {...(known > 0 && { max: known, value: done })} />
    <p role="status">
      {done} of {known} {counted}
      {counted === 'lists' && `, ${resources} resources`}
    </p>
    <Button text="Cancel" look="plain" onPress={cancel} />
  </div>
);

interface ContentsProps {
  contents: CopyContents;
  onDone(outcome: CopyOutcome): void;
  restart(): void;
}

function Contents({ contents: { id, counts, notes }, onDone, restart }: ContentsProps) {
  return (
    <Result title="Contents">
      <ul class="lab-counts" aria-label="Resources of the copy">
        {counts.map(({ kind, count }) => (
          <li key={kind}>
            {kindTitle(kind)} <b>{count}</b>
          </li>
        ))}
      </ul>
      <Lines title="Left out or replaced" lines={notes} />
      <Work
        schema={target}
        submit="Create"
        counted="resources"
        cancel={restart}
        send={async ({ keepIds }, signal, onProgress) =>
          onDone(await applyCopy(id, keepIds === true, signal, onProgress))
        }
      />
    </Result>
  );
}

const Outcome = ({ outcome, restart }: { outcome: CopyOutcome; restart: () => void }) => (
  <Result title={`Created ${outcome.created} resources`}>
    {outcome.existing > 0 && <p>{outcome.existing} existed already and did not change.</p>}
    {outcome.hasKeys && (
      <p>
        Generated passwords and keys are in <code>seed-keys.json</code> in the data folder.
      </p>
    )}
    {outcome.datacenters.length > 0 && (
      <ul class="lab-links" aria-label="Datacenters">
        {outcome.datacenters.map(({ id, name }) => (
          <li key={id}>
            <a href={resourceUrl('cloudapi', `/datacenters/${id}`)}>{name}</a>
          </li>
        ))}
      </ul>
    )}
    <Lines title="Placeholders" lines={outcome.placeholders} />
    <Actions>
      <Button text="Copy another contract" look="plain" onPress={restart} />
    </Actions>
  </Result>
);

// The form that had the focus is gone.
function Result({ title, children }: { title: string; children: ComponentChildren }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => heading.current?.focus(), []);
  return (
    <div class="lab-result">
      <h3 ref={heading} tabIndex={-1}>
        {title}
      </h3>
      {children}
    </div>
  );
}

const Lines = ({ title, lines }: { title: string; lines: readonly string[] }) =>
  lines.length === 0 ? null : (
    <>
      <h4>{title}</h4>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keys must reach a box that scrolls */}
      <ul class="lab-lines" tabIndex={0} aria-label={title}>
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </>
  );
