// Sets up an authenticator app: the QR code, the same secret as text, and the first code. It is loaded on demand,
// because it needs the QR code library.
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Form } from '../components/form.tsx';
import { Copyable } from '../components/secret-dialog.tsx';
import type { Enrolment } from './account-api.ts';
import { type CodeFormProps, codeSchema } from './code-form.tsx';
import { QrCode } from './qr-code.tsx';

const schema = codeSchema('Code from the app', 'Six digits. The app shows a new code every 30 seconds.');

export function SetUpForm({ enrolment, send, ...rest }: CodeFormProps & { enrolment: Enrolment }) {
  const form = useRef<HTMLFormElement>(null);
  useLayoutEffect(() => form.current?.querySelector('input')?.focus(), []);
  return (
    <div class="account-set-up">
      <QrCode text={enrolment.uri} label="QR code of the secret" />
      <div>
        <ol>
          <li>Scan the QR code with an authenticator app, or type in the secret.</li>
          <li>Enter the code that the app shows.</li>
        </ol>
        <Form schema={schema} send={({ code }) => send(String(code))} formRef={form} {...rest} />
      </div>
      <Copyable title="Secret" text={spaced(enrolment.secret)} />
    </div>
  );
}

const spaced = (secret: string): string => secret.replace(/(.{4})(?=.)/g, '$1 ');
