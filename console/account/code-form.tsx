// The steps of an authenticator app, for the account page and for the sign-in: a code that is asked for, and the
// recovery codes that are shown once.
import { Actions, Button } from '../components/button.tsx';
import { Form, type Schema } from '../components/form.tsx';
import { Copyable } from '../components/secret-dialog.tsx';

export const codeSchema = (title: string, description: string): Schema => ({
  properties: {
    code: { type: 'string', title, description, maxLength: 40, autocomplete: 'one-time-code' },
  },
  required: ['code'],
});

const anyCode = codeSchema('Code', 'Of your authenticator app, or one of your recovery codes.');

export interface CodeFormProps {
  submit: string;
  send(code: string): Promise<void>;
  cancel?: () => void;
}

export const CodeForm = ({ send, ...rest }: CodeFormProps) => (
  <Form schema={anyCode} send={({ code }) => send(String(code))} {...rest} />
);

export const RecoveryCodes = ({ codes, done }: { codes: readonly string[]; done(): void }) => (
  <>
    <p>
      Each of them takes the place of a code of the app, once. This is the only time that they are shown: keep them
      where you find them without your phone.
    </p>
    <Copyable
      title="Recovery codes"
      text={codes.join('\n')}
      fileName="cumulet-recovery-codes.txt"
      takesFocus
      isShownOnce
    />
    <Actions>
      <Button text="Done" look="plain" onPress={done} />
    </Actions>
  </>
);
