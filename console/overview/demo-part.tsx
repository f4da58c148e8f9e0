// The example shop: the button that creates it in an empty contract, and its state.
import { useLayoutEffect } from 'preact/hooks';
import { Button } from '../components/button.tsx';
import { confirm } from '../components/confirm.tsx';
import type { Resource } from '../components/fetched.ts';
import { perform } from '../components/toast.tsx';
import { type Demo, isUnderWay, startDemo, stopDemo } from './demo-api.ts';

const lookAgainMs = 500;

export function DemoButton({ demo }: { demo: Resource<Demo> }) {
  const fill = (): void =>
    perform(async () => {
      await startDemo();
      await demo.reload();
    });
  return <Button text="Fill with an example" onPress={fill} />;
}

// Nothing without a demo.
export function DemoState({ demo }: { demo: Resource<Demo> }) {
  const answer = demo.answer.value;
  const known = answer && 'value' in answer ? answer.value : undefined;
  const isBusy = known !== undefined && isUnderWay(known);
  useLayoutEffect(() => {
    if (!isBusy) return undefined;
    const timer = setInterval(() => void demo.reload(), lookAgainMs);
    return () => clearInterval(timer);
  }, [isBusy]);
  if (!known || known.state === 'OFF') return null;
  return (
    <div class={`overview-demo ${known.state === 'FAILED' ? 'failed' : ''}`} role="status">
      <p>{textOf(known)}</p>
      {!isBusy && <Button text="Delete example" look="plain" onPress={() => askToStop(demo)} />}
    </div>
  );
}

const askToStop = (demo: Resource<Demo>): void =>
  confirm({
    title: 'Delete the example?',
    text: 'Its load ends, and everything that it created is deleted. Your own resources stay.',
    action: 'Delete',
    act: async () => {
      await stopDemo();
    },
    onDone: () => void demo.reload(),
  });

const textOf = ({ state, resources, message = '' }: Demo): string =>
  ({
    OFF: '',
    CREATING: `The example is being created: ${resources} resources.`,
    RUNNING: 'This contract has an example shop. Its load continues until you delete it.',
    DELETING: 'The example is being deleted.',
    FAILED: `The example failed. ${message}`,
  })[state];
