// A collection without things says how to make the first one, here and by the command line.
import { CommandLine } from '../components/command-line.tsx';
import { Empty } from '../components/states.tsx';
import type { ResourceModel } from './model.ts';
import { addressOf } from './operations.ts';
import { matched, placeUrl } from './place.ts';
import { firstText } from './same-with/first-call.ts';
import { lower } from './words.ts';

export function EmptyList({ model, path }: { model: ResourceModel; path: string }) {
  const { create, titles, words } = model;
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
