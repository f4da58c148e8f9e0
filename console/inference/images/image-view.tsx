// Creates an image from a prompt. It is drawn on a canvas, because the page's policy only allows images that are files
// of the region.
import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { send } from '../../api.ts';
import { Actions, Button } from '../../components/button.tsx';
import { downloadBlob } from '../../components/clipboard.ts';
import { Labelled, Select, TextInput } from '../../components/field.tsx';
import { useAbortSignal } from '../../components/resource.ts';
import { Failure } from '../../components/states.tsx';
import { refusalOf } from '../failure.ts';
import { apiPath } from '../models.ts';

const sizes = ['512x512', '1024x1024', '1024x1792', '1792x1024', '256x256'];

interface CreatedImage {
  png: Blob;
  about: string;
}

export function ImageView({ model }: { model: string }) {
  const gone = useAbortSignal();
  const canvas = useRef<HTMLCanvasElement>(null);
  const prompt = useSignal('');
  const size = useSignal(sizes[0] as string);
  const seed = useSignal('');
  const created = useSignal<CreatedImage | undefined>(undefined);
  const failure = useSignal<unknown>(undefined);
  const isBusy = useSignal(false);
  const make = async (): Promise<void> => {
    isBusy.value = true;
    failure.value = undefined;
    try {
      created.value = await makeImage(model, prompt.value, size.value, seed.value, gone);
      await draw(canvas.current, created.value.png);
    } catch (error) {
      if (!gone.aborted) failure.value = error;
    }
    isBusy.value = false;
  };
  return (
    <div class="playground-image">
      <textarea
        rows={3}
        aria-label="Prompt"
        placeholder="A lighthouse in a storm"
        autocomplete="off"
        value={prompt.value}
        onInput={({ currentTarget }) => {
          prompt.value = currentTarget.value;
        }}
      />
      <div class="playground-row">
        <Select
          title="Size"
          value={size.value}
          options={sizes.map((one) => [one, one.replace('x', ' × ')])}
          onChange={(one) => {
            size.value = one;
          }}
        />
        <Labelled title="Seed">{(id) => <TextInput id={id} value={seed} placeholder="random" />}</Labelled>
      </div>
      <Actions>
        <Button
          text={isBusy.value ? 'Creating …' : 'Create'}
          disabled={isBusy.value || prompt.value.trim() === ''}
          onPress={() => void make()}
        />
        {created.value && (
          <Button
            text="Download"
            look="plain"
            onPress={() => created.value && downloadBlob('image.png', created.value.png)}
          />
        )}
      </Actions>
      {failure.value !== undefined && <Failure error={failure.value} />}
      <canvas ref={canvas} hidden={!created.value} role="img" aria-label={`Image of ${prompt.value}`} />
      <p class="playground-figures">{created.value?.about}</p>
    </div>
  );
}

async function makeImage(
  model: string,
  prompt: string,
  size: string,
  seed: string,
  gone: AbortSignal,
): Promise<CreatedImage> {
  const begunMs = performance.now();
  const body = { model, prompt, size, ...(seed.trim() !== '' && { seed: Number(seed) }) };
  const response = await send(`${apiPath}/images/generations`, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'Content-Type': 'application/json' },
    signal: gone,
  });
  if (!response.ok) throw await refusalOf(response);
  const { data, served_by: servedBy } = (await response.json()) as { data: { b64_json: string }[]; served_by: string };
  const bytes = Uint8Array.from(atob(data[0]?.b64_json ?? ''), (letter) => letter.charCodeAt(0));
  const about = `${Math.round(performance.now() - begunMs)} ms · created by ${servedBy}`;
  return { png: new Blob([bytes], { type: 'image/png' }), about };
}

async function draw(canvas: HTMLCanvasElement | null, png: Blob): Promise<void> {
  const image = await createImageBitmap(png);
  if (!canvas) return;
  canvas.width = image.width;
  canvas.height = image.height;
  canvas.getContext('2d')?.drawImage(image, 0, 0);
}
