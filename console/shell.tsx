// The top bar of every page: the name, a notice if the clock was moved, contract, user and theme.
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { ClockNotice } from './clock-notice.tsx';
import { Button } from './components/button.tsx';
import { Choice } from './components/field.tsx';
import { NavigationButton } from './navigation.tsx';
import { PaletteButton } from './palette/palette.tsx';
import type { Session } from './session.ts';
import { ThemeSwitch } from './theme-switch.tsx';
import { accountUrl, overviewUrl } from './urls.ts';

export interface ShellProps {
  session: Session;
  onContract(contract: number): void;
  onSignOut(): void;
}

export interface TopBarProps {
  version: string;
  region: string; // where resources without a location are created
  user: string | undefined; // the id of the signed-in user
  onSearch: (() => void) | undefined; // absent without a session
  children?: ComponentChildren;
}

export const TopBar = ({ version, region, user, onSearch, children }: TopBarProps) => (
  <header class="top">
    {user !== undefined && <NavigationButton />}
    <a class="home" href={overviewUrl()}>
      <Mark />
      Cumulet <small>{version}</small>
    </a>
    <p class="region" title="Home region: resources without a location are created here">
      {region}
    </p>
    <ClockNotice />
    {onSearch && <PaletteButton onPress={onSearch} />}
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
      <a href={accountUrl()} title="Your account">
        {session.user.email}
      </a>
      <Button text="Sign out" look="plain" onPress={onSignOut} />
    </p>
  </>
);

// A user with one contract gets no selection.
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

// The logo: a cloud in a square, like the favicon.
const Mark = () => (
  <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
    <path d="M9 26a7 7 0 0 1-1-13.9A9 9 0 0 1 25.2 14 6 6 0 0 1 24 26z" />
  </svg>
);
