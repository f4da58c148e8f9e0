// A collection without things says how to make the first one, here and by the command line.
import { CommandLine } from '../components/command-line.tsx';
import { Empty } from '../components/states.tsx';
import type { ResourceModel } from './model.ts';
import { addressOf } from './operations.ts';
import { acrossPath, matched, placeUrl } from './place.ts';
import { firstText } from './same-with/first-call.ts';
import { lower } from './words.ts';

export interface EmptyListProps {
  model: ResourceModel;
  path: string;
  above: ResourceModel | undefined; // in lists across several things: what they are in
}

export function EmptyList({ model, path, above }: EmptyListProps) {
  const { create, titles, words } = model;
  if (above)
    return (
      <Empty text={`There are no ${lower(titles)} yet.`}>
        <p>
          {'Choose where to make the first one: '}
          <a href={placeUrl(above, acrossPath(above))}>{above.titles}</a>
        </p>
      </Empty>
    );
  const params = matched(model.collection, path) ?? {};
  return (
    <Empty text={`There are no ${lower(titles)} here.`}>
      {create && (
        <>
          <p>
            <a href={placeUrl(model, `${path}/new`)}>{create.title}</a>
            {' makes the first one. By the command line:'}
          </p>
          <CommandLine
            text={firstText(create, words, { url: location.origin + addressOf(model, create, { params }), params })}
          />
        </>
      )}
    </Empty>
  );
}
