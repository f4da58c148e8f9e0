// The caller of an API page's calls, and the field for a token or a key.
import { useId, useRef } from 'preact/hooks';
import { Button } from '../components/button.tsx';
import { overviewUrl, tokensUrl } from '../urls.ts';
import { caller, claimsText, useSecret } from './caller.ts';

interface AccessProps {
  takes: 'token' | 'key';
  hint: string; // options of the command
}

export function AccessForm({ takes, hint }: AccessProps) {
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const inUse = caller[takes].value;
  const use = (event: Event): void => {
    event.preventDefault();
    if (!field.current?.value) return;
    useSecret(takes, field.current.value);
    field.current.value = '';
  };
  const forget = (): void => {
    useSecret(takes, '');
    field.current?.focus();
  };
  return (
    <form class="access" onSubmit={use}>
      <label for={id}>{takes === 'key' ? 'Key' : 'Token'}</label>
      <div class="row">
        <input
          id={id}
          ref={field}
          type="password"
          autocomplete="off"
          aria-describedby={`${id}-state`}
          placeholder={inUse === '' ? `Paste a ${takes} to try the operations` : `A ${takes} is in use; paste another`}
        />
        <button type="submit" class="plain">
          Use
        </button>
        {inUse !== '' && <Button text="Forget" look="plain" onPress={forget} />}
      </div>
      <p id={`${id}-state`} role="status">
        {takes === 'key' ? <KeyState /> : <TokenState hint={hint} />}
      </p>
    </form>
  );
}

const KeyState = () => (
  <>
    {caller.key.value === ''
      ? 'The key was shown when the pipeline was created or the key was replaced. Only this tab stores it.'
      : 'Calls use this key.'}
  </>
);

function TokenState({ hint }: { hint: string }) {
  const session = caller.session.value;
  if (caller.token.value !== '') return <>{claimsText(caller.token.value)}</>;
  if (session)
    return (
      <>
        Calls use your session: {session.user.email}, {session.role} of contract {session.contract}.
      </>
    );
  if (!caller.isKnown.value) return null;
  return (
    <>
      <a href={overviewUrl()}>Sign in</a> to try the operations, or paste a token: from{' '}
      <code>./cumulet token generate{hint}</code> or the <a href={tokensUrl()}>console</a>. Only this tab stores it.
    </>
  );
}
