// The panel of uploads and downloads, in a corner of the bucket pages, with buttons to cancel one or all.
import { useSignal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';
import { Button, IconButton } from '../../components/button.tsx';
import { Icon } from '../../components/icon.tsx';
import { countText, sizeText, visible } from '../keys.ts';
import { type Transfer, transfers } from './transfers.ts';

const mostShown = 50;

export function TransferPanel() {
  const isFolded = useSignal(false);
  const { left, done, failed, cancelled, bytes, size } = transfers.summary.value;
  useLayoutEffect(() => {
    if (left === 0) return;
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [left === 0]);
  const all = transfers.all.value;
  if (all.length === 0) return null;
  const counts = [
    left > 0 && `${countText(left, 'left', 'left')}`,
    done > 0 && `${done} done`,
    failed > 0 && `${failed} failed`,
    cancelled > 0 && `${cancelled} cancelled`,
  ];
  // Transfers that need attention come first.
  const shown = [...all].sort((a, b) => weight(a) - weight(b)).slice(0, mostShown);
  return (
    <section class="ob-transfers" aria-label="Transfers">
      <div class="ob-transfers-head">
        <p role="status">
          <strong>Transfers</strong> {counts.filter(Boolean).join(', ')}
        </p>
        {left > 0 && <Button text="Cancel all" look="plain" onPress={() => transfers.cancelAll()} />}
        <Button
          text={isFolded.value ? 'Show' : 'Hide'}
          look="plain"
          label={`${isFolded.value ? 'Show' : 'Hide'} transfers`}
          onPress={() => {
            isFolded.value = !isFolded.value;
          }}
        />
        {left === 0 && <IconButton icon="close" label="Close transfers" onPress={() => transfers.clear()} />}
      </div>
      <progress class="ob-progress" aria-label="All transfers" max={Math.max(1, size)} value={size === 0 ? 1 : bytes} />
      {!isFolded.value && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keys must reach a box that scrolls
        <ul tabIndex={0} aria-label="Files">
          {shown.map((one) => (
            <Line key={one.id} transfer={one} />
          ))}
          {all.length > mostShown && <li>{`and ${countText(all.length - mostShown, 'more', 'more')}`}</li>}
        </ul>
      )}
    </section>
  );
}

const weights = { failed: 0, runs: 1, waits: 2, done: 3, cancelled: 4 };
const weight = ({ state }: Transfer): number => weights[state.value];

function Line({ transfer }: { transfer: Transfer }) {
  const { plan, state, bytes, problem } = transfer;
  const name = visible(plan.key);
  return (
    <li class={`ob-transfer ${state.value}`}>
      <Icon name={plan.kind} />
      <span class="ob-key" title={name}>
        {name}
      </span>
      <small>
        {state.value === 'runs' && `${sizeText(bytes.value)} of ${sizeText(plan.size)}`}
        {state.value === 'waits' && 'waits'}
        {state.value === 'done' && sizeText(plan.size)}
        {state.value === 'cancelled' && 'cancelled'}
        {state.value === 'failed' && problem.value}
      </small>
      {!transfer.isOver && <IconButton icon="close" label={`Cancel ${name}`} onPress={() => transfer.cancel()} />}
      {(state.value === 'failed' || state.value === 'cancelled') && (
        <IconButton icon="restore" label={`Try ${name} again`} onPress={() => transfers.retry(transfer)} />
      )}
    </li>
  );
}
