// The sign-in page: with the platform's account and, after the password, 2FA; or with a token.
import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { CodeForm, RecoveryCodes } from './account/code-form.tsx';
import { ApiError } from './api.ts';
import { Button } from './components/button.tsx';
import { CommandLine } from './components/command-line.tsx';
import { Form, type FormValues, type Schema } from './components/form.tsx';
import { lazyView } from './lazy.tsx';
import { type Credentials, type NextStep, notice, type Session, signIn } from './session.ts';

const SetUpForm = lazyView(() => import('./account/authenticator.tsx').then((module) => module.SetUpForm));

const byPassword: Schema = {
  properties: {
    email: { type: 'string', title: 'E-mail', format: 'email', autocomplete: 'username', maxLength: 255 },
    password: { type: 'string', title: 'Password', format: 'password', autocomplete: 'current-password' },
  },
  required: ['email', 'password'],
};

const byToken: Schema = {
  properties: {
    token: {
      type: 'string',
      title: 'Bearer token',
      format: 'password',
      description: 'The session ends with the token: when it expires or is deleted.',
    },
  },
  required: ['token'],
};

type Step =
  | { kind: 'password' | 'token' }
  | NextStep
  | { kind: 'recovery'; session: Session; codes: readonly string[] };

const leads: Record<Step['kind'], [title: string, lead: string]> = {
  password: ['Sign in', 'With the account of this region.'],
  token: ['Sign in', 'With a token of this region.'],
  code: ['Second step', 'This account has 2FA.'],
  enrolment: ['Set up 2FA', 'An administrator requires it for this account.'],
  recovery: ['Your recovery codes', '2FA is on.'],
};

export interface SignInProps {
  ownerFile: string | undefined; // with the generated password
  onSignedIn(session: Session): void;
}

export function SignInPage({ ownerFile, onSignedIn }: SignInProps) {
  const step = useSignal<Step>({ kind: 'password' });
  const place = useRef<HTMLDivElement>(null);
  const { kind } = step.value;
  useLayoutEffect(() => place.current?.querySelector('input')?.focus(), [kind]);
  const [title, lead] = leads[kind];

  const send = async (credentials: Credentials): Promise<void> => {
    notice.value = '';
    try {
      const next = await signIn(credentials);
      if ('kind' in next) step.value = next;
      else if (next.recoveryCodes) step.value = { kind: 'recovery', session: next.session, codes: next.recoveryCodes };
      else onSignedIn(next.session);
    } catch (error) {
      if (!needsToken(error)) throw error;
      step.value = { kind: 'token' };
      notice.value = 'This account has 2FA. Sign in with a bearer token instead of the password.';
    }
  };

  return (
    <main class="sign-in" id="main" tabIndex={-1}>
      <h1>{title}</h1>
      <p class="lead">{lead}</p>
      <p class="notice" role="status">
        {notice}
      </p>
      <div ref={place}>
        <StepForm step={step.value} send={send} onSignedIn={onSignedIn} />
        {kind !== 'recovery' && (
          <p class="other-way">
            <Button text={otherWays[kind]} look="plain" onPress={() => (step.value = otherStep(kind))} />
          </p>
        )}
        {kind === 'password' && ownerFile !== undefined && <OwnerHint file={ownerFile} />}
      </div>
    </main>
  );
}

const OwnerHint = ({ file }: { file: string }) => (
  <section class="owner-hint" aria-label="First sign-in">
    <p>The first start of this region generated the owner’s password. This command shows it:</p>
    <CommandLine text={`cat ${/^[\w./-]+$/.test(file) ? file : `'${file}'`}`} />
  </section>
);

const otherWays: Record<Exclude<Step['kind'], 'recovery'>, string> = {
  password: 'Sign in with a token',
  token: 'Sign in with e-mail and password',
  code: 'Start again',
  enrolment: 'Start again',
};

const otherStep = (kind: Step['kind']): Step => ({ kind: kind === 'password' ? 'token' : 'password' });

interface StepProps {
  step: Step;
  send(credentials: Credentials): Promise<void>;
  onSignedIn(session: Session): void;
}

function StepForm({ step, send, onSignedIn }: StepProps) {
  switch (step.kind) {
    case 'password':
      return (
        <Form
          key="password"
          schema={byPassword}
          submit="Sign in"
          send={({ email, password }: FormValues) => send({ email: String(email), password: String(password) })}
        />
      );
    case 'token':
      return (
        <Form key="token" schema={byToken} submit="Sign in" send={({ token }) => send({ token: String(token) })} />
      );
    case 'code':
      return <CodeForm submit="Sign in" send={(code) => send({ challenge: step.challenge, code })} />;
    case 'enrolment':
      return (
        <SetUpForm
          enrolment={step}
          submit="Turn on and sign in"
          send={(code) => send({ challenge: step.challenge, code })}
        />
      );
    case 'recovery':
      return <RecoveryCodes codes={step.codes} done={() => onSignedIn(step.session)} />;
  }
}

const needsToken = (error: unknown): boolean =>
  error instanceof ApiError && error.problems.some(({ errorCode }) => errorCode === 'second-factor');
