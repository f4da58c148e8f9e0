// The dialog that makes a token. Its value is in this dialog and nowhere else: nothing keeps it once it is closed.
import { useSignal } from '@preact/signals';
import { Actions, Button } from '../components/button.tsx';
import { Dialog } from '../components/dialog.tsx';
import { Form } from '../components/form.tsx';
import { Copyable } from '../components/secret-dialog.tsx';
import type { Facts } from '../session.ts';
import { generateToken } from './token-api.ts';

const usualS = 30 * 86_400;

export interface NewTokenProps {
  lifetimes: Facts['lifetimes'];
  close(): void;
  onMade(): void;
}

export function NewToken({ lifetimes, close, onMade }: NewTokenProps) {
  const token = useSignal('');
  const ttl = {
    type: 'integer',
    title: 'Lifetime',
    description: 'The token stops working when it is over, or when you delete it.',
    oneOf: lifetimes.map(({ name, seconds }) => ({ const: seconds, title: name })),
    default: usualS,
  } as const;
  if (token.value === '')
    return (
      <Dialog title="New token" close={close}>
        <Form
          schema={{ properties: { ttl }, required: ['ttl'] }}
          submit="Make token"
          cancel={close}
          send={async (values) => {
            token.value = await generateToken(Number(values.ttl));
          }}
        />
      </Dialog>
    );
  return (
    <Dialog title="Your new token" close={close} onClosed={onMade}>
      <p>This is the only time that its value is shown. Keep it like a password.</p>
      <Copyable title="Token" text={token.value} fileName={`cumulet-token-${tokenId(token.value)}.txt`} takesFocus />
      <Actions>
        <Button look="plain" onPress={close}>
          Done
        </Button>
      </Actions>
    </Dialog>
  );
}

// The header of a token names it.
function tokenId(token: string): string {
  const header = token.split('.')[0] ?? '';
  const { kid } = JSON.parse(atob(header.replaceAll('-', '+').replaceAll('_', '/'))) as { kid: string };
  return kid;
}
