// A collection without things says what to do next, here and by the command line.
import { CommandLine } from '../components/command-line.tsx';
import { Empty } from '../components/states.tsx';
import type { ResourceModel } from './model.ts';
import { placeUrl } from './place.ts';

export function EmptyList({ model, path }: { model: ResourceModel; path: string }) {
  const { create, titles, prefix } = model;
  const list = `curl -H "Authorization: Bearer $IONOS_TOKEN" ${location.origin}${prefix}${path}?depth=1`;
  return (
    <Empty text={`There are no ${/^[A-Z]{2}/.test(titles) ? titles : titles.toLowerCase()} here.`}>
      {create && (
        <p>
          <a href={placeUrl(model, `${path}/new`)}>{create.title}</a>
          {' makes the first one. The form shows the same call for the command line.'}
        </p>
      )}
      <CommandLine text={list} />
    </Empty>
  );
}
