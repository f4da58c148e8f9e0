// A preview of the content. It never becomes part of the page: texts are shown as text, and images are drawn on a
// canvas.
import { useLayoutEffect, useRef } from 'preact/hooks';
import { useResource } from '../../components/resource.ts';
import { Empty, Loaded } from '../../components/states.tsx';
import { sizeText, visible } from '../keys.ts';
import { type Named, type ObjectFacts, readRange } from '../s3/objects.ts';
import { decodedText, indented, mostImageBytes, mostTextBytes, previewKind } from './preview-kind.ts';

export interface PreviewProps {
  object: Named;
  facts: ObjectFacts;
}

export function Preview({ object, facts: { type, size } }: PreviewProps) {
  const kind = previewKind(object.key, type, size);
  if (kind === 'none')
    return <Empty text={size === 0 ? 'The object is empty.' : 'There is no preview for this type.'} />;
  return kind === 'image' ? (
    <Image object={object} />
  ) : (
    <Text object={object} isJson={kind === 'json'} isCut={size > mostTextBytes} />
  );
}

function Text({ object, isJson, isCut }: { object: Named; isJson: boolean; isCut: boolean }) {
  const content = useResource(async (signal) => {
    const text = decodedText(await (await readRange(object, mostTextBytes, signal)).arrayBuffer());
    return isJson ? indented(text) : text;
  });
  return (
    <Loaded resource={content} what="the content">
      {(text) => (
        <>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reached by keys */}
          <pre class="ob-preview" tabIndex={0}>
            {text}
          </pre>
          {isCut && <p class="hint">{`Only the first ${sizeText(mostTextBytes)} are shown.`}</p>}
        </>
      )}
    </Loaded>
  );
}

function Image({ object }: { object: Named }) {
  const picture = useResource(async (signal) => createImageBitmap(await readRange(object, mostImageBytes, signal)));
  return (
    <Loaded resource={picture} what="the image">
      {(bitmap) => <Drawn bitmap={bitmap} name={visible(object.key)} />}
    </Loaded>
  );
}

const mostPixels = 1600;

function Drawn({ bitmap, name }: { bitmap: ImageBitmap; name: string }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const scale = Math.min(1, mostPixels / Math.max(bitmap.width, bitmap.height));
  const [width, height] = [Math.max(1, bitmap.width * scale), Math.max(1, bitmap.height * scale)];
  useLayoutEffect(() => {
    canvas.current?.getContext('2d')?.drawImage(bitmap, 0, 0, width, height);
  }, [bitmap]);
  return (
    <figure class="ob-image">
      <canvas ref={canvas} width={width} height={height} role="img" aria-label={`Picture of ${name}`} />
      <figcaption>{`${bitmap.width} × ${bitmap.height}`}</figcaption>
    </figure>
  );
}
