// One turn of the chat: text, tool calls and figures.
import { useSignal } from '@preact/signals';
import { Actions, Button } from '../../components/button.tsx';
import { copyPlain } from '../../components/clipboard.ts';
import { Failure } from '../../components/states.tsx';
import { perform } from '../../components/toast.tsx';
import { type ChatModel, figuresText, type Turn } from './chat-model.ts';
import type { ToolCall } from './request.ts';

const names = { user: 'You', assistant: 'Model', tool: 'Tool' };

export function TurnView({ turn, model, isLast }: { turn: Turn; model: ChatModel; isLast: boolean }) {
  const { role, text, reasoning, calls, figures, failure } = turn;
  const isSpeaking = role === 'assistant' && figures.value === undefined;
  return (
    <li class={`playground-turn ${role}`} aria-busy={isSpeaking || undefined}>
      <h2>{names[role]}</h2>
      {reasoning.value !== '' && (
        <details>
          <summary>Reasoning</summary>
          <p class="playground-said">{reasoning}</p>
        </details>
      )}
      {role === 'assistant' && !isSpeaking && isJson(text.value) ? (
        <pre class="playground-code">{JSON.stringify(JSON.parse(text.value), undefined, 2)}</pre>
      ) : (
        <Said text={text.value} isSpeaking={isSpeaking} />
      )}
      {calls.value.map((call) => (
        <Call key={call.id} call={call} model={model} />
      ))}
      {failure.value !== undefined && <Failure error={failure.value} />}
      <div class="playground-foot">
        {figures.value && (
          <p class="playground-figures" title={figures.value.servedBy}>
            {figuresText(figures.value)}
          </p>
        )}
        <Actions>
          {text.value !== '' && !isSpeaking && (
            <Button text="Copy" look="plain" onPress={() => perform(() => copyPlain(text.value))} />
          )}
          {role === 'user' && <Button text="Edit" look="plain" onPress={() => model.edit(turn)} />}
          {role === 'assistant' && isLast && !isSpeaking && (
            <Button text="Regenerate" look="plain" onPress={() => void model.regenerate()} />
          )}
        </Actions>
      </div>
    </li>
  );
}

const isJson = (text: string): boolean => {
  if (!/^\s*[[{]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

// Code is between lines of three backticks.
function Said({ text, isSpeaking }: { text: string; isSpeaking: boolean }) {
  const parts = text.split(/^```[^\n]*\n?/m);
  return (
    <div class={isSpeaking ? 'playground-text speaking' : 'playground-text'}>
      {parts.map((part, at) =>
        at % 2 === 1 ? (
          <pre key={at} class="playground-code">
            {part.trimEnd()}
          </pre>
        ) : (
          part !== '' && (
            <p key={at} class="playground-said">
              {part}
            </p>
          )
        ),
      )}
    </div>
  );
}

function Call({ call, model }: { call: ToolCall; model: ChatModel }) {
  const answer = useSignal('');
  const isAnswered = model.turns.value.some(({ callId }) => callId === call.id);
  return (
    <div class="playground-call">
      <pre class="playground-code">
        {call.function.name}({call.function.arguments})
      </pre>
      {!isAnswered && (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void model.answerCall(call, answer.value);
          }}
        >
          <input
            aria-label={`Result of ${call.function.name}`}
            placeholder="Type the result of the tool"
            autocomplete="off"
            value={answer.value}
            onInput={({ currentTarget }) => {
              answer.value = currentTarget.value;
            }}
          />
          <button type="submit" class="plain">
            Answer
          </button>
        </form>
      )}
    </div>
  );
}
