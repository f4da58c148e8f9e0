// The dialog that creates a token. The token is shown only in this dialog and is not stored.
import { useSignal } from '@preact/signals';
import { Dialog } from '../components/dialog.tsx';
import type { Property } from '../components/field.tsx';
import { Form, type FormValues } from '../components/form.tsx';
import { type Secret, SecretContent } from '../components/secret-dialog.tsx';
import type { Facts } from '../session.ts';
import { generateToken } from './token-api.ts';

const usualS = 30 * 86_400;

export interface NewTokenProps {
  lifetimes: Facts['lifetimes'];
  close(): void;
  onMade(): void;
}

export function NewToken({ lifetimes, close, onMade }: NewTokenProps) {
  const secret = useSignal<Secret | undefined>(undefined);
  const ttl: Property = {
    type: 'integer',
    title: 'Lifetime',
    description: 'After this time, or when you delete it, the token stops working.',
    oneOf: lifetimes.map(({ name, seconds }) => ({ const: seconds, title: name })),
    default: usualS,
  };
  const send = async (values: FormValues): Promise<void> => {
    const token = await generateToken(Number(values.ttl));
    secret.value = { ...about, value: token, fileName: `cumulet-token-${tokenId(token)}.txt` };
  };
  return (
    <Dialog title={secret.value?.title ?? 'Create token'} close={close} onClosed={() => secret.value && onMade()}>
      {secret.value ? (
        <SecretContent secret={secret.value} close={close} />
      ) : (
        <Form schema={{ properties: { ttl }, required: ['ttl'] }} submit="Create" cancel={close} send={send} />
      )}
    </Dialog>
  );
}

const about = { title: 'Your new token', name: 'Token', about: 'Keep it like a password.' };

// The id of a token, from its header.
function tokenId(token: string): string {
  const header = token.split('.')[0] ?? '';
  const { kid } = JSON.parse(atob(header.replaceAll('-', '+').replaceAll('_', '/'))) as { kid: string };
  return kid;
}
