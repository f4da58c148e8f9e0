// The page of those who are not signed in: with the platform's account, or with a token, which accounts with 2FA must.
import { ApiError } from './api.ts';
import { button, type Child, element, fill } from './dom.ts';
import { type FormValues, form, type Schema } from './parts/form.ts';
import { type Session, signIn } from './session.ts';

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

export function signInPage(notice: string, onSignedIn: (session: Session) => void): HTMLElement {
  const place = element('div');
  const told = element('p', { class: 'notice', role: 'status' }, notice);

  const sent = (make: (values: FormValues) => Promise<Session>) => async (values: FormValues) => {
    told.textContent = '';
    onSignedIn(await make(values));
  };

  const show = (schema: Schema, send: (values: FormValues) => Promise<void>, other: Child): void => {
    fill(place, form({ schema, submit: 'Sign in', send }), element('p', { class: 'other-way' }, other));
    place.querySelector('input')?.focus();
  };

  const showPassword = (): void =>
    show(
      byPassword,
      async (values) => {
        try {
          await sent(({ email, password }) => signIn({ email: String(email), password: String(password) }))(values);
        } catch (error) {
          if (!needsToken(error)) throw error;
          showToken();
          told.textContent = 'This account has 2FA, so it signs in with a bearer token instead of the password.';
        }
      },
      button('Sign in with a token', showToken, { look: 'plain' }),
    );

  const showToken = (): void =>
    show(
      byToken,
      sent(({ token }) => signIn({ token: String(token) })),
      button('Sign in with e-mail and password', showPassword, { look: 'plain' }),
    );

  const view = element(
    'main',
    { class: 'sign-in', id: 'main', tabindex: -1 },
    element('h1', {}, 'Sign in'),
    element('p', { class: 'lead' }, 'With the account of this region.'),
    told,
    place,
  );
  showPassword();
  return view;
}

const needsToken = (error: unknown): boolean =>
  error instanceof ApiError && error.problems.some(({ errorCode }) => errorCode === 'second-factor');
