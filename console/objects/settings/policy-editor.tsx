// The editor of a bucket's policy. It checks the JSON syntax while the user types; the region checks the rest on
// saving.
import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { Actions, Button } from '../../components/button.tsx';
import { useResource } from '../../components/resource.ts';
import { Failure, Loaded } from '../../components/states.tsx';
import { Section } from '../../components/text.tsx';
import { toast } from '../../components/toast.tsx';
import { readPolicy, setPolicy } from '../s3/configuration.ts';
import { formatted, policyProblem, policyTemplates } from './policy.ts';

export function PolicyEditor({ bucket }: { bucket: string }) {
  const policy = useResource(async (signal) => formatted(await readPolicy(bucket, signal)));
  return (
    <Section title="Policy" lead="Grants access to others than the owners. A Deny statement takes precedence.">
      <Loaded resource={policy} what="the policy">
        {(text) => <Editor key={text} bucket={bucket} text={text} reload={() => void policy.reload()} />}
      </Loaded>
    </Section>
  );
}

interface EditorProps {
  bucket: string;
  text: string;
  reload(): void;
}

function Editor({ bucket, text, reload }: EditorProps) {
  const id = useId();
  const typed = useSignal(text);
  const failure = useSignal<unknown>(undefined);
  const isBusy = useSignal(false);
  const problem = policyProblem(typed.value);
  const save = async (value: string): Promise<void> => {
    isBusy.value = true;
    failure.value = undefined;
    try {
      await setPolicy(bucket, value);
      toast(value.trim() === '' ? 'Policy deleted.' : 'Policy saved.');
      reload();
    } catch (error) {
      failure.value = error;
    }
    isBusy.value = false;
  };
  return (
    <div class="form">
      <div class="field">
        <label for={id}>Policy (JSON)</label>
        <textarea
          id={id}
          class="code"
          rows={14}
          spellcheck={false}
          value={typed.value}
          aria-invalid={problem ? true : undefined}
          aria-describedby={`${id}-wrong`}
          onInput={({ currentTarget }) => {
            typed.value = currentTarget.value;
          }}
        />
        <p class="wrong" id={`${id}-wrong`} aria-live="polite">
          {problem && `${problem.line === undefined ? '' : `Line ${problem.line}: `}${problem.message}`}
        </p>
      </div>
      <Actions>
        <Button
          text="Save policy"
          disabled={isBusy.value || problem !== undefined || typed.value === text || typed.value.trim() === ''}
          onPress={() => void save(typed.value)}
        />
        {text !== '' && (
          <Button text="Delete policy" look="plain" disabled={isBusy.value} onPress={() => void save('')} />
        )}
        <Button
          text="Format"
          look="plain"
          onPress={() => {
            typed.value = formatted(typed.value);
          }}
        />
      </Actions>
      <div class="ob-templates">
        <span>Templates:</span>
        {policyTemplates.map(({ title, text: template }) => (
          <Button
            key={title}
            text={title}
            look="plain"
            onPress={() => {
              typed.value = template(bucket);
            }}
          />
        ))}
      </div>
      <div class="problems">{failure.value !== undefined && <Failure error={failure.value} />}</div>
    </div>
  );
}
