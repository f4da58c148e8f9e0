// The Token Manager: what tokens there are, how long each lives, and the ways to make and delete them.
import { useRef } from 'preact/hooks';
import { Button } from '../components/button.tsx';
import { confirmed } from '../components/confirm.tsx';
import { openDialog } from '../components/dialog.tsx';
import { useResource } from '../components/resource.ts';
import { Empty, Loaded } from '../components/states.tsx';
import { Table } from '../components/table.tsx';
import { Badge, Time } from '../components/text.tsx';
import { perform, toast } from '../components/toast.tsx';
import type { Page, PageProps } from '../router.ts';
import { currentSession } from '../session.ts';
import { distance } from '../times.ts';
import { NewToken } from './new-token.tsx';
import { deleteToken, deleteTokens, listTokens, type Token } from './token-api.ts';

export const tokensPage: Page = { path: '/tokens', title: 'Tokens', view: Tokens };

function Tokens({ session, facts }: PageProps) {
  const make = useRef<HTMLButtonElement>(null);
  // The lab can move the platform's clock at any time, so it is asked for with the tokens.
  const list = useResource(async (signal) => {
    const [tokens, current] = await Promise.all([listTokens(signal), currentSession()]);
    return { tokens, nowMs: Date.parse((current ?? session).now) };
  });
  const changed = (text: string): void => {
    toast(text);
    perform(() => list.reload());
  };

  const removeOne = async ({ id }: Token): Promise<void> => {
    const signedOut = id === session.tokenId ? ' You signed in with it, so you are signed out.' : '';
    const isDone = await confirmed({
      title: 'Delete this token?',
      text: `What uses ${id} stops working at once.${signedOut}`,
      action: 'Delete',
      act: () => deleteToken(id),
    });
    if (!isDone) return;
    changed('The token was deleted.');
    make.current?.focus(); // the button that was pressed goes with its row
  };

  const removeMany = async (criteria: 'EXPIRED' | 'ALL', count: number): Promise<void> => {
    const all = criteria === 'ALL';
    const counted = count === 1 ? '1 token' : `${count} tokens`;
    const signedOut = session.tokenId === null ? '' : ' You signed in with one of them, so you are signed out.';
    const isDone = await confirmed({
      title: all ? `Delete all ${counted}?` : `Delete ${counted} that expired?`,
      text: all ? `What uses any of them stops working at once.${signedOut}` : 'They do not work any more.',
      action: all ? 'Delete all' : 'Delete expired',
      act: () => deleteTokens(criteria),
    });
    if (!isDone) return;
    changed(all ? 'All tokens were deleted.' : 'The expired tokens were deleted.');
    make.current?.focus();
  };

  return (
    <div>
      <div class="head">
        <h1 tabIndex={-1}>Tokens</h1>
        <p class="lead">What programs sign in with, on every address of the platform, as you and with your rights.</p>
        <Button
          ref={make}
          onPress={() =>
            openDialog((close) => (
              <NewToken lifetimes={facts.lifetimes} close={close} onMade={() => changed('The token was made.')} />
            ))
          }
        >
          New token
        </Button>
      </div>
      <Loaded resource={list} what="the tokens">
        {({ tokens, nowMs }) => {
          if (tokens.length === 0) return <Empty text="There are no tokens yet." />;
          const isExpired = ({ expirationDate }: Token): boolean => Date.parse(expirationDate) <= nowMs;
          const expired = tokens.filter(isExpired).length;
          return (
            <>
              <div class="bar">
                <p>
                  {tokens.length - expired} of {facts.mostTokens} in use{expired > 0 && `, ${expired} expired`}
                </p>
                <Button
                  look="plain"
                  disabled={expired === 0}
                  onPress={() => perform(() => removeMany('EXPIRED', expired))}
                >
                  Delete expired
                </Button>
                <Button look="plain" onPress={() => perform(() => removeMany('ALL', tokens.length))}>
                  Delete all
                </Button>
              </div>
              <Table
                caption="Your tokens"
                rows={tokens}
                keyOf={({ id }) => id}
                columns={[
                  { title: 'Id', look: 'code', cell: ({ id }) => id },
                  { title: 'Created', cell: ({ createdDate }) => <Time iso={createdDate} /> },
                  { title: 'Expires', cell: ({ expirationDate }) => <Expiry iso={expirationDate} nowMs={nowMs} /> },
                  {
                    title: 'State',
                    cell: (token) => <State isExpired={isExpired(token)} isCurrent={token.id === session.tokenId} />,
                  },
                  {
                    title: 'Actions',
                    look: 'buttons',
                    cell: (token) => (
                      <Button
                        look="plain"
                        label={`Delete token ${token.id}`}
                        onPress={() => perform(() => removeOne(token))}
                      >
                        Delete
                      </Button>
                    ),
                  },
                ]}
              />
            </>
          );
        }}
      </Loaded>
    </div>
  );
}

const Expiry = ({ iso, nowMs }: { iso: string; nowMs: number }) => (
  <>
    <Time iso={iso} /> <small>{distance(iso, nowMs)}</small>
  </>
);

function State({ isExpired, isCurrent }: { isExpired: boolean; isCurrent: boolean }) {
  if (isExpired) return <Badge look="old">Expired</Badge>;
  return isCurrent ? <Badge look="here">Current</Badge> : <Badge look="good">Valid</Badge>;
}
