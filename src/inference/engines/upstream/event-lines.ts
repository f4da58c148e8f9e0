// The data of server-sent events, in order of arrival.

const maxHeld = 2 * 1024 * 1024; // characters of one event

// `alive` is called with every piece that arrives.
export async function* eventsIn(body: AsyncIterable<Uint8Array>, alive: () => void): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let held: string[] = []; // pieces of a line that has not ended
  let data: string[] = [];
  let size = 0;
  for await (const piece of body) {
    alive();
    const text = decoder.decode(piece, { stream: true });
    size += text.length;
    if (size > maxHeld) throw new Error('an event is too long');
    const isWhole = /[\r\n]/.test(text) || held.at(-1)?.endsWith('\r');
    held.push(text);
    if (!isWhole) continue; // a long line is split once, at its end
    const lines = held.join('').split(/\r\n|\n|\r(?!$)/);
    held = [lines.pop() ?? ''];
    for (const line of lines) {
      if (line.startsWith('data:')) data.push(line.slice(line.startsWith('data: ') ? 6 : 5));
      else if (line === '' && data.length > 0) {
        yield data.join('\n');
        data = [];
        size = held[0]?.length ?? 0;
      }
    }
  }
}
