// The Token Manager: lists tokens with their lifetimes, creates and deletes them.
import { useRef } from 'preact/hooks';
import { Button, RowActions } from '../components/button.tsx';
import { confirm } from '../components/confirm.tsx';
import { openDialog } from '../components/dialog.tsx';
import { PageHead } from '../components/page/page-head.tsx';
import { useResource } from '../components/resource.ts';
import { Empty, Loaded } from '../components/states.tsx';
import { Table } from '../components/table.tsx';
import { Badge, Time } from '../components/text.tsx';
import { toast } from '../components/toast.tsx';
import type { Page, PageProps } from '../router.ts';
import { currentSession } from '../session.ts';
import { distance } from '../times.ts';
import { NewToken } from './new-token.tsx';
import { deleteToken, deleteTokens, listTokens, type Token } from './token-api.ts';

export const tokensPage: Page = { path: '/tokens', title: 'Tokens', view: Tokens };

function Tokens({ session, facts }: PageProps) {
  const make = useRef<HTMLButtonElement>(null);
  // The lab can move the region's clock at any time, so each load of the tokens reads it again.
  const list = useResource(async (signal) => {
    const [tokens, current] = await Promise.all([listTokens(signal), currentSession()]);
    return { tokens, nowMs: Date.parse((current ?? session).now) };
  });
  const changed = (text: string): void => {
    toast(text);
    void list.reload();
  };
  const deleted = (text: string): void => {
    changed(text);
    make.current?.focus(); // the pressed button may disappear with its row
  };
  const openNew = (): void =>
    openDialog((close) => (
      <NewToken lifetimes={facts.lifetimes} close={close} onMade={() => changed('Token created.')} />
    ));
  return (
    <div>
      <PageHead title="Tokens" lead="Programs use tokens to sign in to every service as you, with your rights.">
        <Button icon="plus" text="Create token" ref={make} onPress={openNew} />
      </PageHead>
      <Loaded resource={list} what="the tokens">
        {(found) => <TokenList {...found} most={facts.mostTokens} currentId={session.tokenId} onDeleted={deleted} />}
      </Loaded>
    </div>
  );
}

interface TokenListProps {
  tokens: readonly Token[];
  nowMs: number;
  most: number;
  currentId: string | null; // of the token of this session
  onDeleted(text: string): void;
}

function TokenList({ tokens, nowMs, most, currentId, onDeleted }: TokenListProps) {
  if (tokens.length === 0) return <Empty text="There are no tokens yet. Create one for your programs." />;
  const isExpired = ({ expirationDate }: Token): boolean => Date.parse(expirationDate) <= nowMs;
  const expired = tokens.filter(isExpired).length;
  const deleteOne = (id: string): void =>
    confirm({
      title: 'Delete this token?',
      text: `Programs that use ${id} can’t sign in any more.${id === currentId ? ' You signed in with it, so you will be signed out.' : ''}`,
      action: 'Delete',
      act: () => deleteToken(id),
      onDone: () => onDeleted('Token deleted.'),
    });
  const deleteAll = (): void =>
    confirm({
      title: `Delete all ${countText(tokens.length)}?`,
      text: `Programs that use them can’t sign in any more.${currentId === null ? '' : ' You signed in with one of them, so you will be signed out.'}`,
      action: 'Delete all',
      act: () => deleteTokens('ALL'),
      onDone: () => onDeleted('All tokens deleted.'),
    });
  const deleteExpired = (): void =>
    confirm({
      title: `Delete ${countText(expired)}?`,
      text: 'Expired tokens no longer work.',
      action: 'Delete expired',
      act: () => deleteTokens('EXPIRED'),
      onDone: () => onDeleted('Expired tokens deleted.'),
    });
  return (
    <>
      <div class="bar">
        <p>{`${tokens.length - expired} of ${most} in use${expired > 0 ? `, ${expired} expired` : ''}`}</p>
        <Button text="Delete expired" look="plain" disabled={expired === 0} onPress={deleteExpired} />
        <Button text="Delete all" look="plain" onPress={deleteAll} />
      </div>
      <Table
        caption="Your tokens"
        rows={tokens}
        keyOf={({ id }) => id}
        columns={[
          { title: 'Id', look: 'code', cell: ({ id }) => id },
          { title: 'Created', cell: ({ createdDate }) => <Time iso={createdDate} /> },
          { title: 'Expires', cell: ({ expirationDate: iso }) => <Time iso={iso} note={distance(iso, nowMs)} /> },
          { title: 'State', cell: (token) => stateOf(isExpired(token), token.id === currentId) },
          {
            title: 'Actions',
            look: 'buttons',
            cell: ({ id }) => <RowActions of={`token ${id}`} actions={[['Delete', () => deleteOne(id)]]} />,
          },
        ]}
      />
    </>
  );
}

const countText = (count: number): string => (count === 1 ? '1 token' : `${count} tokens`);

function stateOf(isExpired: boolean, isCurrent: boolean) {
  if (isExpired) return <Badge look="old" text="Expired" />;
  return isCurrent ? <Badge look="here" text="Current" /> : <Badge look="good" text="Valid" />;
}
