// The screen of a server, read every two seconds while the page is visible.
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { useAbortSignal } from '../../components/resource.ts';
import { Empty, Failure, Waiting } from '../../components/states.tsx';
import { startServer } from '../../resources/client-commands/page-commands.ts';
import type { TabProps } from '../../resources/extension.ts';
import { Screen } from './screen.ts';

const pauseMs = 2000;
const nearPx = 40;

export function ScreenTab({ item, path }: TabProps) {
  const state = String(item.properties.vmState ?? '');
  if (state !== 'RUNNING')
    return (
      <Empty text={`The server is ${state.toLowerCase() || 'not running'}, so it has no screen. Start it first.`}>
        <pre>{startServer(path.split('/').at(-3) ?? '', item.id)}</pre>
      </Empty>
    );
  return <ScreenView key={item.id} name={String(item.properties.name ?? item.id)} path={path} />;
}

function ScreenView({ name, path }: { name: string; path: string }) {
  const signal = useAbortSignal();
  const screen = useMemo(() => new Screen(path, signal), [path]);
  const place = useRef<HTMLPreElement>(null);
  const isAtEnd = useRef(true);
  useLayoutEffect(() => {
    void screen.refresh();
    const timer = setInterval(() => {
      if (!document.hidden) void screen.refresh();
    }, pauseMs);
    return () => clearInterval(timer);
  }, [screen]);
  const text = screen.text.value;
  // Follows new output, unless the user has scrolled back.
  useLayoutEffect(() => {
    if (place.current && isAtEnd.current) place.current.scrollTop = place.current.scrollHeight;
  }, [text]);
  const onScroll = ({ currentTarget: { scrollTop, scrollHeight, clientHeight } }: { currentTarget: HTMLElement }) => {
    isAtEnd.current = scrollHeight - scrollTop - clientHeight < nearPx;
  };
  if (text === undefined)
    return screen.failure.value === undefined ? (
      <Waiting what="the screen" />
    ) : (
      <Failure error={screen.failure.value} retry={() => void screen.refresh()} />
    );
  return (
    <div class="machine-screen">
      {screen.failure.value !== undefined && <Failure error={screen.failure.value} />}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll it */}
      <pre ref={place} tabIndex={0} role="log" aria-label={`Screen of ${name}`} onScroll={onScroll}>
        {screen.isBlank.value ? '(no output yet)' : text}
      </pre>
      <p class="machine-note">
        {'Output only, without a keyboard. '}
        {screen.address.value !== '' && (
          <a href={screen.address.value} target="_blank" rel="noreferrer">
            Open in a separate page (valid 15 minutes)
          </a>
        )}
      </p>
    </div>
  );
}
