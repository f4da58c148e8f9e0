// The chat: turns, input and settings.
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Actions, Button } from '../../components/button.tsx';
import { Dialog, openDialog } from '../../components/dialog.tsx';
import { Copyable } from '../../components/secret-dialog.tsx';
import { failureToast } from '../../components/toast.tsx';
import { apiPath } from '../models.ts';
import type { ChatModel } from './chat-model.ts';
import type { ChatBody } from './request.ts';
import { SettingsPanel } from './settings-panel.tsx';
import { curlText, pythonText } from './snippets.ts';
import { TurnView } from './turn-view.tsx';

export function ChatView({ model }: { model: ChatModel }) {
  const list = useRef<HTMLOListElement>(null);
  const turns = model.turns.value;
  const last = turns.at(-1);
  const said = `${last?.text.value.length} ${last?.reasoning.value.length} ${last?.figures.value !== undefined}`;
  // Don't scroll while the user reads older turns.
  const isAtEnd = useRef(true);
  useLayoutEffect(() => {
    if (isAtEnd.current && list.current) list.current.scrollTop = list.current.scrollHeight;
  }, [turns, said]);
  useLayoutEffect(() => () => model.stop(), []);
  return (
    <div class="playground-chat">
      <div class="playground-talk">
        <ol
          class="playground-turns"
          ref={list}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reached by keys
          tabIndex={0}
          aria-label="Chat"
          onScroll={({ currentTarget: { scrollTop, clientHeight, scrollHeight } }) => {
            isAtEnd.current = scrollTop + clientHeight > scrollHeight - 40;
          }}
        >
          {turns.length === 0 && (
            <li class="playground-hint">The chat is stored neither in this browser nor in the region.</li>
          )}
          {turns.map((turn) => (
            <TurnView key={turn.id} turn={turn} model={model} isLast={turn === last} />
          ))}
        </ol>
        <p class="unseen" role="status">
          {model.isBusy.value ? 'The model is answering.' : last?.role === 'assistant' ? last.text.value : ''}
        </p>
        <Composer model={model} />
      </div>
      <SettingsPanel model={model} />
    </div>
  );
}

function Composer({ model }: { model: ChatModel }) {
  const isBusy = model.isBusy.value;
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape' && model.isBusy.value) model.stop();
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    void model.send();
  };
  return (
    <div class="playground-composer">
      <textarea
        rows={3}
        aria-label="Message"
        placeholder="Type a message. Enter sends it, Shift+Enter starts a new line."
        autocomplete="off"
        value={model.draft.value}
        onInput={({ currentTarget }) => {
          model.draft.value = currentTarget.value;
        }}
        onKeyDown={onKeyDown}
      />
      <Actions>
        {isBusy ? (
          <Button text="Stop" look="danger" onPress={() => model.stop()} />
        ) : (
          <Button text="Send" onPress={() => void model.send()} />
        )}
        <Button text="As curl" look="plain" onPress={() => openSnippet('Request with curl', model, curlText)} />
        <Button text="As Python" look="plain" onPress={() => openSnippet('Request with Python', model, pythonText)} />
        <Button text="New chat" look="plain" disabled={model.turns.value.length === 0} onPress={() => model.clear()} />
      </Actions>
    </div>
  );
}

function openSnippet(title: string, model: ChatModel, textOf: (url: string, body: ChatBody) => string): void {
  let body: ChatBody;
  try {
    body = model.body();
  } catch (error) {
    failureToast(error);
    return;
  }
  const text = textOf(`${location.origin}${apiPath}`, body);
  openDialog((close) => (
    <Dialog title={title} close={close}>
      <p>
        Set the environment variable <code>OPENAI_API_KEY</code> to one of your tokens.
      </p>
      <div class="playground-snippet">
        <Copyable title="Command" text={text.trimEnd()} takesFocus />
      </div>
      <Actions>
        <Button text="Close" look="plain" onPress={close} />
      </Actions>
    </Dialog>
  ));
}
