// The page of those who are not signed in: with the platform's account, or with a token, which accounts with 2FA must.
import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { ApiError } from './api.ts';
import { Button } from './components/button.tsx';
import { Form, type FormValues, type Schema } from './components/form.tsx';
import { notice, type Session, signIn } from './session.ts';

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

export function SignInPage({ onSignedIn }: { onSignedIn(session: Session): void }) {
  const isByToken = useSignal(false);
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => place.current?.querySelector('input')?.focus(), [isByToken.value]);

  const send = async ({ email, password, token }: FormValues): Promise<void> => {
    notice.value = '';
    try {
      onSignedIn(
        await signIn(isByToken.value ? { token: String(token) } : { email: String(email), password: String(password) }),
      );
    } catch (error) {
      if (!needsToken(error)) throw error;
      isByToken.value = true;
      notice.value = 'This account has 2FA, so it signs in with a bearer token instead of the password.';
    }
  };

  return (
    <main class="sign-in" id="main" tabIndex={-1}>
      <h1>Sign in</h1>
      <p class="lead">With the account of this region.</p>
      <p class="notice" role="status">
        {notice}
      </p>
      <div ref={place}>
        <Form key={isByToken.value} schema={isByToken.value ? byToken : byPassword} submit="Sign in" send={send} />
        <p class="other-way">
          <Button
            text={isByToken.value ? 'Sign in with e-mail and password' : 'Sign in with a token'}
            look="plain"
            onPress={() => (isByToken.value = !isByToken.value)}
          />
        </p>
      </div>
    </main>
  );
}

const needsToken = (error: unknown): boolean =>
  error instanceof ApiError && error.problems.some(({ errorCode }) => errorCode === 'second-factor');
