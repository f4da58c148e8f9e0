// "Can A reach B?": the form, the verdict, and the steps that lead to it.
import { type Signal, useSignal } from '@preact/signals';
import type { RealOutcome } from '../../../src/compute/network/verdict-view.ts';
import { isAborted } from '../../api.ts';
import { Choice, Labelled } from '../../components/field.tsx';
import { useAbortSignal } from '../../components/resource.ts';
import { Failure } from '../../components/states.tsx';
import type { Landscape } from '../diagram/landscape.ts';
import { ask, endsOf, hasPorts, isHttp, protocols, type Question } from './question.ts';
import { type Step, stepsOf, type VerdictView } from './verdict.ts';

export type End = 'from' | 'to';

export interface ReachPanelProps {
  landscape: Landscape;
  question: Question;
  picking?: End | undefined;
  verdict: VerdictView | undefined;
  canSend: boolean; // a real packet
  urlOf(path: string): string;
  onChange(question: Question): void; // clears the last verdict
  onPick?: (end: End | undefined) => void; // absent: there is no diagram to pick from
  onVerdict(verdict: VerdictView | undefined): void;
}

export function ReachPanel(props: ReachPanelProps) {
  const { landscape, question, verdict, canSend, urlOf, onChange, onVerdict } = props;
  const signal = useAbortSignal();
  const failure = useSignal<unknown>(undefined);
  const isAsking = useSignal(false);
  const isReal = useSignal(false);
  const ends = endsOf(landscape);
  const change = (more: Partial<Question>): void => {
    failure.value = undefined;
    onChange({ ...question, ...more });
  };
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (isAsking.value) return;
    isAsking.value = true;
    failure.value = undefined;
    try {
      onVerdict(await ask(question, landscape, isReal.value, signal));
    } catch (error) {
      if (isAborted(error)) return;
      onVerdict(undefined);
      failure.value = error;
    }
    isAsking.value = false;
  };
  return (
    <section class="dc-reach" aria-label="Can A reach B?">
      <h2>Can A reach B?</h2>
      <form onSubmit={(event) => void submit(event)} noValidate>
        <EndField {...props} end="from" title="From" options={ends.from} change={change} />
        <EndField {...props} end="to" title="To" options={ends.to} change={change} />
        {isHttp(question, landscape) && (
          <Labelled title="HTTP path">
            {(id) => (
              <input
                id={id}
                autocomplete="off"
                spellcheck={false}
                value={question.path}
                onInput={({ currentTarget }) => change({ path: currentTarget.value })}
              />
            )}
          </Labelled>
        )}
        <div class="dc-pair">
          <Labelled title="Protocol">
            {(id) => (
              <Choice
                id={id}
                value={question.protocol}
                options={protocols.map((one) => [one, one] as const)}
                onChange={(protocol) => change({ protocol })}
              />
            )}
          </Labelled>
          <Labelled title="Port">
            {(id) => (
              <input
                id={id}
                inputMode="numeric"
                autocomplete="off"
                disabled={!hasPorts(question.protocol)}
                value={hasPorts(question.protocol) ? question.port : ''}
                onInput={({ currentTarget }) => change({ port: currentTarget.value })}
              />
            )}
          </Labelled>
          <button type="submit" aria-disabled={isAsking.value || undefined}>
            Trace
          </button>
        </div>
        {canSend && <RealPacket isReal={isReal} />}
      </form>
      <div aria-live="polite">
        {failure.value !== undefined && <Failure error={failure.value} />}
        {verdict && <Verdict verdict={verdict} steps={stepsOf(verdict, landscape)} urlOf={urlOf} />}
        {!verdict && failure.value === undefined && (
          <p class="dc-hint">
            {!isReal.value && 'No packet is sent. '}The network engine shows the way that a packet would take, and the
            rule that accepts or stops it. Clients call <code>GET /reachability</code>.
          </p>
        )}
      </div>
    </section>
  );
}

interface EndFieldProps extends Pick<ReachPanelProps, 'question' | 'picking' | 'onPick'> {
  end: End;
  title: string;
  options: readonly (readonly [string, string])[];
  change(more: Partial<Question>): void;
}

function EndField({ question, picking, onPick, end, title, options, change }: EndFieldProps) {
  const isPicking = picking === end;
  return (
    <div class="dc-end">
      <Labelled title={title}>
        {(id) => (
          <Choice id={id} value={question[end]} options={options} onChange={(value) => change({ [end]: value })} />
        )}
      </Labelled>
      {onPick && (
        <button
          type="button"
          class="plain"
          aria-pressed={isPicking}
          aria-label={`${title}: pick in the diagram`}
          onClick={() => onPick(isPicking ? undefined : end)}
        >
          {isPicking ? 'Click one …' : 'Pick'}
        </button>
      )}
      {question[end] === '' && (
        <input
          autocomplete="off"
          spellcheck={false}
          aria-label={`${title}: address`}
          placeholder="203.0.113.7"
          value={question[`${end}Address`]}
          onInput={({ currentTarget }) => change({ [`${end}Address`]: currentTarget.value })}
        />
      )}
    </div>
  );
}

export const RealPacket = ({ isReal }: { isReal: Signal<boolean> }) => (
  <label class="dc-real">
    <input
      type="checkbox"
      checked={isReal.value}
      onChange={({ currentTarget }) => {
        isReal.value = currentTarget.checked;
      }}
    />
    Send a real packet
  </label>
);

interface VerdictProps {
  verdict: VerdictView;
  steps: readonly Step[];
  urlOf(path: string): string;
}

const realLooks = {
  ACCEPTED: ['passed', 'The real packet got there.'],
  REJECTED: ['stopped', 'The real packet was stopped.'],
  UNKNOWN: ['unknown', 'It is unknown whether the real packet got there.'],
} as const;

function Real({ real: { result, detail } }: { real: RealOutcome }) {
  const [look, title] = realLooks[result];
  return (
    <>
      <p class={`dc-verdict ${look}`}>
        <strong>{title}</strong> {detail}
      </p>
      <p class="dc-hint">The simulated network predicts:</p>
    </>
  );
}

export const Verdict = ({ verdict: { verdict, real }, steps, urlOf }: VerdictProps) => (
  <>
    {real && <Real real={real} />}
    <p class={verdict === 'ACCEPTED' ? 'dc-verdict passed' : 'dc-verdict stopped'}>
      <strong>{verdict === 'ACCEPTED' ? 'Yes, it gets there.' : 'No, it is stopped.'}</strong>
    </p>
    <ol class="dc-steps">
      {steps.map(({ title, path, what, addresses, isPassed, rule }, at) => (
        <li key={at} class={isPassed ? 'passed' : 'stopped'}>
          <p>
            {path === undefined ? <b>{title}</b> : <a href={urlOf(path)}>{title}</a>}
            <span class="unseen">{isPassed ? ', passed' : ', stopped'}</span>
          </p>
          <p>{what}</p>
          {rule && (
            <p>
              <a href={urlOf(rule.path)}>{rule.title}</a>
            </p>
          )}
          <p class="dc-addresses">{addresses}</p>
        </li>
      ))}
    </ol>
  </>
);
