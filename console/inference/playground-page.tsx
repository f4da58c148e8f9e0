// The model playground: chat, embeddings and images with any model of the region, and what serves it.
import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { Select } from '../components/field.tsx';
import { useResource } from '../components/resource.ts';
import { Loaded } from '../components/states.tsx';
import { Badge } from '../components/text.tsx';
import { docsUrl } from '../urls.ts';
import { ChatModel } from './chat/chat-model.ts';
import { ChatView } from './chat/chat-view.tsx';
import { EmbeddingsView } from './embeddings/embeddings-view.tsx';
import { ImageView } from './images/image-view.tsx';
import { isStandIn, listModels, type ServedModel } from './models.ts';

const kinds = [
  ['chat', 'Chat'],
  ['embedding', 'Embeddings'],
  ['image', 'Images'],
] as const;
type Kind = (typeof kinds)[number][0];

export function PlaygroundPage() {
  const list = useResource(listModels);
  return (
    <div class="playground">
      <h1 tabIndex={-1}>Playground</h1>
      <Loaded resource={list} what="the models">
        {(models) => <Playground models={models} />}
      </Loaded>
    </div>
  );
}

function Playground({ models }: { models: readonly ServedModel[] }) {
  const requestedId = useMemo(() => new URLSearchParams(location.search).get('model'), []);
  const first = models.find(({ id }) => id === requestedId) ?? models.find(({ kind }) => kind === 'chat');
  const kind = useSignal<Kind>((first?.kind ?? 'chat') as Kind);
  const chosen = useSignal<Readonly<Record<string, string>>>({ [first?.kind ?? '']: first?.id ?? '' });
  const offered = models.filter((one) => one.kind === kind.value);
  const model = offered.find(({ id }) => id === chosen.value[kind.value]) ?? offered[0];
  const chat = useMemo(() => new ChatModel(first?.kind === 'chat' ? first.id : ''), []);
  if (kind.value === 'chat' && model && chat.settings.value.model !== model.id) chat.set({ model: model.id });
  const choose = (id: string): void => {
    chosen.value = { ...chosen.value, [kind.value]: id };
    history.replaceState(history.state, '', `${location.pathname}?${new URLSearchParams({ model: id })}`);
  };
  return (
    <>
      <div class="playground-bar">
        {/* biome-ignore lint/a11y/useSemanticElements: a fieldset can't be laid out like the fields next to it */}
        <div class="playground-kinds" role="group" aria-label="Kind of model">
          {kinds.map(([one, title]) => (
            <button
              key={one}
              type="button"
              class="plain"
              aria-pressed={kind.value === one}
              onClick={() => {
                kind.value = one;
              }}
            >
              {title}
            </button>
          ))}
        </div>
        <Select title="Model" value={model?.id ?? ''} options={offered.map(({ id }) => [id, id])} onChange={choose} />
        {model && <Served model={model} />}
      </div>
      {kind.value === 'chat' && <ChatView model={chat} />}
      {kind.value === 'embedding' && model && <EmbeddingsView key={model.id} model={model.id} />}
      {kind.value === 'image' && model && <ImageView key={model.id} model={model.id} />}
    </>
  );
}

const Served = ({ model }: { model: ServedModel }) => (
  <p class="playground-served">
    {isStandIn(model) ? <Badge look="waits" text="Stand-in" /> : <Badge look="good" text="Real model" />} Answers come
    from {model.served_by}. <a href={docsUrl('inference')}>API</a>
  </p>
);
