// A root shell of a running server.
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import { Empty } from '../../components/states.tsx';
import type { TabProps } from '../../resources/extension.ts';
import { ServerTerminal } from './terminal.ts';

export function TerminalTab({ item, path, facts: { machines } }: TabProps) {
  const { vmState, name } = item.properties;
  if (!machines.isReal)
    return (
      <Empty text="Servers of this region are simulated, so no shell runs in them. Start the region with --machines docker.">
        <pre>cumulet up --machines docker</pre>
      </Empty>
    );
  if (vmState !== 'RUNNING')
    return <Empty text={`The server is ${String(vmState).toLowerCase()}, so it has no shell. Start it first.`} />;
  return <TerminalView key={item.id} name={String(name)} path={path} />;
}

function TerminalView({ name, path }: { name: string; path: string }) {
  const place = useRef<HTMLElement>(null);
  const end = useRef<HTMLDivElement>(null);
  const [terminal, setTerminal] = useState<ServerTerminal>();
  useLayoutEffect(() => {
    const opened = new ServerTerminal(place.current as HTMLElement, () => end.current?.focus());
    opened.connect(path);
    setTerminal(opened);
    return () => opened.close();
  }, [path]);
  const state = terminal?.state.value ?? { is: 'connecting' };
  return (
    <div class="machine-terminal">
      <section ref={place} class="machine-terminal-screen" aria-label={`Terminal of ${name}`} />
      <div ref={end} class="machine-note" tabIndex={-1} role="status">
        {state.is === 'connecting' && 'Connecting …'}
        {state.is === 'open' && 'You are root. No firewall applies here. F6 leaves the terminal.'}
        {state.is === 'closed' && state.reason}
      </div>
      {state.is === 'closed' && <Button text="Connect again" onPress={() => terminal?.connect(path)} />}
    </div>
  );
}
