// Sets up an authenticator app: the QR code, the same secret as a text, and the first code. It is loaded when somebody
// does that: it brings the library of QR codes.
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Form } from '../components/form.tsx';
import { Copyable } from '../components/secret-dialog.tsx';
import type { Enrolment } from './account-api.ts';
import { type CodeFormProps, codeSchema } from './code-form.tsx';
import { QrCode } from './qr-code.tsx';

const schema = codeSchema('Code of the app', 'Six digits; a new one every thirty seconds.');

export function SetUpForm({ enrolment, send, ...rest }: CodeFormProps & { enrolment: Enrolment }) {
  const form = useRef<HTMLFormElement>(null);
  useLayoutEffect(() => form.current?.querySelector('input')?.focus(), []);
  return (
    <div class="account-set-up">
      <QrCode text={enrolment.uri} label="QR code of the secret" />
      <div>
        <ol>
          <li>Scan this with an authenticator app, or type the secret into it.</li>
          <li>Type the code that the app shows.</li>
        </ol>
        <Form schema={schema} send={({ code }) => send(String(code))} formRef={form} {...rest} />
      </div>
      <Copyable title="Secret" text={spaced(enrolment.secret)} />
    </div>
  );
}

const spaced = (secret: string): string => secret.replace(/(.{4})(?=.)/g, '$1 ');
