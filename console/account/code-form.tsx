// Forms of the account page and the sign-in for 2FA: the field for a code, and the recovery codes, which are shown
// once.
import { Actions, Button } from '../components/button.tsx';
import { Form, type Schema } from '../components/form.tsx';
import { Copyable } from '../components/secret-dialog.tsx';

export const codeSchema = (title: string, description: string): Schema => ({
  properties: {
    code: { type: 'string', title, description, maxLength: 40, autocomplete: 'one-time-code' },
  },
  required: ['code'],
});

const anyCode = codeSchema('Code', 'From your authenticator app, or a recovery code.');

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
      Each code replaces one code from the app. They are shown only now: store them where you can find them without your
      phone.
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
