// 2FA on the account page: whether it is on, and the dialogs that set it up, renew its recovery codes and end it.
import { useSignal } from '@preact/signals';
import { Button } from '../components/button.tsx';
import { Dialog, openDialog } from '../components/dialog.tsx';
import { Form, type FormValues, type Schema } from '../components/form.tsx';
import { useResource } from '../components/resource.ts';
import { Loaded } from '../components/states.tsx';
import { Badge, Section, Time } from '../components/text.tsx';
import { toast } from '../components/toast.tsx';
import {
  beginEnrolment,
  confirmEnrolment,
  type Enrolment,
  newRecoveryCodes,
  type SecondFactor,
  secondFactor,
  switchOff,
} from './account-api.ts';
import { SetUpForm } from './authenticator.tsx';
import { CodeForm, RecoveryCodes } from './code-form.tsx';

export function SecondFactorPart({ onChanged }: { onChanged(): void }) {
  const factor = useResource(secondFactor);
  const changed = (text: string): void => {
    toast(text);
    void factor.reload();
    onChanged();
  };
  return (
    <Section
      title="Two-factor authentication"
      lead="Signing in takes your password and a code from an app on your phone. Programs then need tokens."
    >
      <div class="account-factor">
        <Loaded resource={factor} what="the 2FA state">
          {(state) => (state.isSetUp ? <SetUp state={state} onChanged={changed} /> : <NotSetUp onChanged={changed} />)}
        </Loaded>
      </div>
    </Section>
  );
}

interface PartProps {
  onChanged(text: string): void;
}

const NotSetUp = ({ onChanged }: PartProps) => {
  const begin = (): void => openDialog((close) => <SetUpDialog close={close} onChanged={onChanged} />);
  return (
    <div class="account-line">
      <Badge look="old" text="Off" />
      <p>Your password alone is enough to sign in.</p>
      <Button text="Set up 2FA" onPress={begin} />
    </div>
  );
};

function SetUp({ state, onChanged }: PartProps & { state: SecondFactor }) {
  const left = state.recoveryCodesLeft;
  const renew = (): void => openDialog((close) => <RenewDialog close={close} onChanged={onChanged} />);
  const off = (): void => openDialog((close) => <SwitchOffDialog close={close} onChanged={onChanged} />);
  return (
    <div class="account-line">
      <Badge look="good" text="On" />
      <p>
        {state.since !== null && (
          <>
            Since <Time iso={state.since} />.{' '}
          </>
        )}
        <span class={left < 3 ? 'account-few' : undefined}>
          {left === 1 ? '1 recovery code is left.' : `${left} recovery codes are left.`}
        </span>
        {state.isForced && ' An administrator requires 2FA, so you can’t switch it off.'}
      </p>
      <Button text="New recovery codes" look="plain" onPress={renew} />
      <Button text="Switch off" look="plain" disabled={state.isForced} onPress={off} />
    </div>
  );
}

interface DialogProps extends PartProps {
  close(): void;
}

const passwordSchema: Schema = {
  properties: {
    password: {
      type: 'string',
      title: 'Password',
      format: 'password',
      autocomplete: 'current-password',
      description: 'Enter it again to confirm that this is you.',
    },
  },
  required: ['password'],
};

// The password, then the QR code and its first code, then the recovery codes.
function SetUpDialog({ close, onChanged }: DialogProps) {
  const enrolment = useSignal<Enrolment | undefined>(undefined);
  const codes = useSignal<readonly string[] | undefined>(undefined);
  const begin = async ({ password }: FormValues): Promise<void> => {
    enrolment.value = await beginEnrolment(String(password));
  };
  const send = (challenge: string) => async (code: string) => {
    codes.value = await confirmEnrolment(challenge, code);
  };
  return (
    <Dialog
      title={codes.value ? 'Your recovery codes' : 'Set up 2FA'}
      close={close}
      onClosed={() => codes.value && onChanged('2FA is on.')}
    >
      {codes.value ? (
        <RecoveryCodes codes={codes.value} done={close} />
      ) : enrolment.value ? (
        <SetUpForm
          enrolment={enrolment.value}
          submit="Switch on"
          send={send(enrolment.value.challenge)}
          cancel={close}
        />
      ) : (
        <Form schema={passwordSchema} submit="Continue" send={begin} cancel={close} />
      )}
    </Dialog>
  );
}

function RenewDialog({ close, onChanged }: DialogProps) {
  const codes = useSignal<readonly string[] | undefined>(undefined);
  const send = async (code: string): Promise<void> => {
    codes.value = await newRecoveryCodes(code);
  };
  return (
    <Dialog
      title={codes.value ? 'Your recovery codes' : 'New recovery codes'}
      close={close}
      onClosed={() => codes.value && onChanged('Recovery codes replaced.')}
    >
      {codes.value ? (
        <RecoveryCodes codes={codes.value} done={close} />
      ) : (
        <>
          <p>Your current recovery codes stop working.</p>
          <CodeForm submit="Create codes" send={send} cancel={close} />
        </>
      )}
    </Dialog>
  );
}

function SwitchOffDialog({ close, onChanged }: DialogProps) {
  const isDone = useSignal(false);
  const send = async (code: string): Promise<void> => {
    await switchOff(code);
    isDone.value = true;
    close();
  };
  return (
    <Dialog title="Switch 2FA off?" close={close} onClosed={() => isDone.value && onChanged('2FA is off.')}>
      <p>Your password alone will be enough to sign in.</p>
      <CodeForm submit="Switch off" send={send} cancel={close} />
    </Dialog>
  );
}
