// A user's 2FA state on the user's page, where administrators can reset it.
import { Button } from '../components/button.tsx';
import { confirm } from '../components/confirm.tsx';
import { useResource } from '../components/resource.ts';
import { Loaded } from '../components/states.tsx';
import { Badge } from '../components/text.tsx';
import { toast } from '../components/toast.tsx';
import type { TabProps } from '../resources/extension.ts';
import { accountUrl } from '../urls.ts';
import { factorOfUser, resetFactor } from './account-api.ts';

export function UserFactorTab({ item, session, reload }: TabProps) {
  const factor = useResource((signal) => factorOfUser(item.id, signal));
  const email = String(item.properties.email);
  const reset = (): void =>
    confirm({
      title: 'Reset 2FA of this user?',
      text: `${email} can then sign in with the password alone. All their sessions end.`,
      action: 'Reset',
      act: () => resetFactor(item.id),
      onDone: () => {
        toast('2FA reset.');
        void factor.reload();
        reload();
      },
    });
  if (item.id === session.user.id)
    return (
      <p>
        This is your own user. Change your 2FA on your <a href={accountUrl()}>account page</a>.
      </p>
    );
  return (
    <Loaded resource={factor} what="the 2FA state">
      {({ isSetUp, refusal }) => (
        <div class="account-line">
          <Badge look={isSetUp ? 'good' : 'old'} text={isSetUp ? 'On' : 'Off'} />
          <p>
            {isSetUp ? 'An authenticator is set up.' : `No authenticator is set up.${forced(item.properties)}`}
            {isSetUp && refusal !== null && ` ${refusal}`}
          </p>
          {isSetUp && refusal === null && <Button text="Reset 2FA" look="plain" onPress={reset} />}
        </div>
      )}
    </Loaded>
  );
}

const forced = ({ forceSecAuth }: TabProps['item']['properties']): string =>
  forceSecAuth === true ? ' The next sign-in requires the setup.' : '';
