// Who the calls of an API page are made by, and the field to paste a token or a key into.
import { useId, useRef } from 'preact/hooks';
import { Button } from '../components/button.tsx';
import { overviewUrl, tokensUrl } from '../urls.ts';
import { caller, claimsText, useSecret } from './caller.ts';

interface AccessProps {
  takes: 'token' | 'key';
  hint: string; // what the command line needs here
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
      ? 'It was told when the pipeline was made, and with each new key. Only this tab keeps it.'
      : 'Calls use this key.'}
  </>
);

function TokenState({ hint }: { hint: string }) {
  const session = caller.session.value;
  if (caller.token.value !== '') return <>{claimsText(caller.token.value)}</>;
  if (session)
    return (
      <>
        You are signed in: calls are made by {session.user.email}, {session.role} of contract {session.contract}.
      </>
    );
  if (!caller.isKnown.value) return null;
  return (
    <>
      <a href={overviewUrl()}>Sign in</a> to try the operations, or paste a token: from{' '}
      <code>./cumulet token generate{hint}</code> or the <a href={tokensUrl()}>console</a>. Only this tab keeps it.
    </>
  );
}
