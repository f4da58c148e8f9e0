// Compares texts by the similarity of their embeddings.
import { useSignal } from '@preact/signals';
import { Actions, Button } from '../../components/button.tsx';
import { useAbortSignal } from '../../components/resource.ts';
import { Failure } from '../../components/states.tsx';
import { type Embedded, embed } from './similarity.ts';

const mostTexts = 8;

export function EmbeddingsView({ model }: { model: string }) {
  const gone = useAbortSignal();
  const texts = useSignal<readonly string[]>(['', '']);
  const answer = useSignal<Embedded | undefined>(undefined);
  const failure = useSignal<unknown>(undefined);
  const isBusy = useSignal(false);
  const given = texts.value.filter((text) => text.trim() !== '');
  const compare = async (): Promise<void> => {
    isBusy.value = true;
    failure.value = undefined;
    try {
      answer.value = await embed(model, given, gone);
    } catch (error) {
      if (!gone.aborted) failure.value = error;
    }
    isBusy.value = false;
  };
  const change = (at: number, text: string): void => {
    texts.value = texts.value.map((one, index) => (index === at ? text : one));
  };
  return (
    <div class="playground-embeddings">
      <div class="playground-texts">
        {texts.value.map((text, at) => (
          <textarea
            key={at}
            rows={2}
            aria-label={`Text ${at + 1}`}
            placeholder={`Text ${at + 1}`}
            autocomplete="off"
            value={text}
            onInput={({ currentTarget }) => change(at, currentTarget.value)}
          />
        ))}
      </div>
      <Actions>
        <Button text="Compare" disabled={given.length < 2 || isBusy.value} onPress={() => void compare()} />
        <Button
          text="Add text"
          look="plain"
          disabled={texts.value.length >= mostTexts}
          onPress={() => {
            texts.value = [...texts.value, ''];
          }}
        />
      </Actions>
      {failure.value !== undefined && <Failure error={failure.value} />}
      {answer.value && <Similarities answer={answer.value} />}
    </div>
  );
}

function Similarities({ answer: { texts, similarities, dimensions, tokens, tookMs } }: { answer: Embedded }) {
  return (
    <>
      <div class="playground-scroll">
        <table class="playground-matrix">
          <caption class="unseen">Similarity of the texts</caption>
          <thead>
            <tr>
              <th scope="col">Cosine</th>
              {texts.map((text, at) => (
                <th key={at} scope="col" title={text}>
                  Text {at + 1}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {similarities.map((row, at) => (
              <tr key={at}>
                <th scope="row">
                  <bdi>{texts[at]}</bdi>
                </th>
                {row.map((value, other) => (
                  <td key={other} style={{ '--share': `${Math.round(40 * Math.max(0, value))}%` }}>
                    {value.toFixed(3)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="playground-figures">
        {dimensions} numbers each · {tokens} tokens · {Math.round(tookMs)} ms
      </p>
    </>
  );
}
