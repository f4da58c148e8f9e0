// The audit tab of a resource: entries about it and its children, newest first.
import { useSignal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';
import { Button } from '../components/button.tsx';
import { useAbortSignal } from '../components/resource.ts';
import { Empty, Failure, Waiting } from '../components/states.tsx';
import { regionNowMs } from '../region-clock.ts';
import { knownModels, type Models } from '../resources/page-urls.ts';
import { activityUrl } from '../urls.ts';
import { type Found, nothingFound, type Span, searchFurther } from './activity-api.ts';
import { isAboutResource } from './activity-model.ts';
import { Entries } from './entries.tsx';

export interface ActivityOfProps {
  path: string; // of the resource in the API, with the prefix of its service
  id: string;
}

const keptMs = 36 * 86_400_000;
const bounds = { enough: 50, most: 2000 };

export function ActivityOf({ path, id }: ActivityOfProps) {
  const signal = useAbortSignal();
  const span = useSignal<Span>({ from: 0, to: 0 });
  const found = useSignal<Found | undefined>(undefined);
  const models = useSignal<Models>([]);
  const failure = useSignal<unknown>(undefined);
  const isBusy = useSignal(false);
  const search = async (from: Found): Promise<void> => {
    isBusy.value = true;
    failure.value = undefined;
    try {
      models.value = await knownModels();
      found.value = await searchFurther(span.value, (entry) => isAboutResource(entry, path, id), from, bounds, signal);
    } catch (error) {
      if (!signal.aborted) failure.value = error;
    }
    isBusy.value = false;
  };
  useLayoutEffect(() => {
    const now = regionNowMs();
    span.value = { from: now - keptMs, to: now + 1000 };
    void search(nothingFound);
  }, [path, id]);
  if (failure.value !== undefined)
    return (
      <Failure title="Could not get the activity." error={failure.value} retry={() => void search(nothingFound)} />
    );
  if (!found.value) return <Waiting what="the activity" />;
  const { entries, read, total } = found.value;
  return (
    <div class="activity" aria-busy={isBusy.value || undefined}>
      {entries.length === 0 ? (
        <Empty text={`The last ${read} entries of the activity log have none about this resource.`} />
      ) : (
        <Entries entries={entries} models={models.value} />
      )}
      <div class="bar activity-more">
        <p>
          {entries.length} of {read} searched entries{read < total && `, ${total} in total`}
        </p>
        {read < total && (
          <Button
            text="Search older entries"
            look="plain"
            disabled={isBusy.value}
            onPress={() => void search(found.value ?? nothingFound)}
          />
        )}
        <a href={activityUrl({ resource: id })}>Activity log</a>
      </div>
    </div>
  );
}
