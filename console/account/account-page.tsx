// The user's own account: password, 2FA, sessions and theme. Tokens are on a separate page.
import { useSignal } from '@preact/signals';
import { Form, type FormValues, type Schema } from '../components/form.tsx';
import { useResource } from '../components/resource.ts';
import { Section } from '../components/text.tsx';
import { toast } from '../components/toast.tsx';
import type { PageProps } from '../router.ts';
import { currentSession } from '../session.ts';
import { ThemeSwitch } from '../theme-switch.tsx';
import { tokensUrl } from '../urls.ts';
import { changePassword, listSessions } from './account-api.ts';
import { SecondFactorPart } from './second-factor-part.tsx';
import { SessionsPart } from './sessions-part.tsx';

const roles = { owner: 'owner', admin: 'administrator', user: 'user' };

export function AccountPage({ session }: PageProps) {
  // The lab can move the region's clock at any time, so each load of the sessions reads it again.
  const sessions = useResource(async (signal) => {
    const [entries, current] = await Promise.all([listSessions(signal), currentSession()]);
    return { entries, nowMs: Date.parse((current ?? session).now) };
  });
  const { user, role, contract } = session;
  return (
    <div class="account">
      <div class="head">
        <h1 tabIndex={-1}>Account</h1>
        <p class="lead">
          <bdi>{`${user.firstname} ${user.lastname}`.trim()}</bdi>, <bdi>{user.email}</bdi>: {roles[role]} of contract{' '}
          {contract}. Programs sign in with your <a href={tokensUrl()}>tokens</a>.
        </p>
      </div>
      <SecondFactorPart onChanged={() => void sessions.reload()} />
      <SessionsPart sessions={sessions} />
      <PasswordPart onChanged={() => void sessions.reload()} />
      <Section title="Appearance" lead="This browser stores your choice, separately for each user.">
        <div class="account-theme">
          <ThemeSwitch user={user.id} />
        </div>
      </Section>
    </div>
  );
}

const passwords: Schema = {
  properties: {
    password: { type: 'string', title: 'Your password', format: 'password', autocomplete: 'current-password' },
    newPassword: {
      type: 'string',
      title: 'New password',
      format: 'password',
      autocomplete: 'new-password',
      description: 'At least 5 characters.',
      minLength: 5,
      maxLength: 255,
    },
  },
  required: ['password', 'newPassword'],
};

function PasswordPart({ onChanged }: { onChanged(): void }) {
  const turn = useSignal(0); // an empty form after each change
  const send = async ({ password, newPassword }: FormValues): Promise<void> => {
    await changePassword(String(password), String(newPassword));
    turn.value++;
    toast('Password changed.');
    onChanged();
  };
  return (
    <Section title="Password" lead="A new password ends all your other sessions.">
      <div class="account-form">
        <Form key={turn.value} schema={passwords} submit="Change password" send={send} />
      </div>
    </Section>
  );
}
