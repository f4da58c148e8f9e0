// The top bar of every page: the name, the region's clock where it was moved, contract, user and theme.
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { ClockNotice } from './clock-notice.tsx';
import { Button } from './components/button.tsx';
import { Choice } from './components/field.tsx';
import type { Session } from './session.ts';
import { ThemeSwitch } from './theme-switch.tsx';
import { overviewUrl } from './urls.ts';

export interface ShellProps {
  session: Session;
  onContract(contract: number): void;
  onSignOut(): void;
}

export interface TopBarProps {
  version: string;
  user: string | undefined; // the id of who is signed in
  children?: ComponentChildren;
}

export const TopBar = ({ version, user, children }: TopBarProps) => (
  <header class="top">
    <a class="home" href={overviewUrl()}>
      Cumulet <small>{version}</small>
    </a>
    <ClockNotice />
    <div class="corner">
      {children}
      <ThemeSwitch user={user} />
    </div>
  </header>
);

export const User = ({ session, onContract, onSignOut }: ShellProps) => (
  <>
    <Contract session={session} onContract={onContract} />
    <p class="who">
      <span>{session.user.email}</span>
      <Button text="Sign out" look="plain" onPress={onSignOut} />
    </p>
  </>
);

// A user of one contract has nothing to choose.
function Contract({ session: { contract, contracts }, onContract }: Omit<ShellProps, 'onSignOut'>) {
  const id = useId();
  if (contracts.length < 2) return <p class="contract">Contract {contract}</p>;
  return (
    <p class="contract">
      <label for={id}>Contract</label>
      <Choice
        id={id}
        value={String(contract)}
        options={contracts.map((one) => [String(one), String(one)])}
        onChange={(one) => onContract(Number(one))}
      />
    </p>
  );
}
