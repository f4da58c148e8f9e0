// Parses server-sent events from a response body, because `EventSource` can neither post nor send headers.

export interface StreamEvent {
  event: string;
  data: string;
}

export async function* eventsOf(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<StreamEvent> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const blocks = (rest + value).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) yield eventOf(block);
  }
}

function eventOf(block: string): StreamEvent {
  const fields = block.split('\n').map((line) => /^(\w*): ?(.*)$/.exec(line) ?? ['', '', '']);
  const valuesOf = (name: string): string[] =>
    fields.filter((field) => field[1] === name).map((field) => field[2] ?? '');
  return { event: valuesOf('event').at(-1) ?? 'message', data: valuesOf('data').join('\n') };
}
