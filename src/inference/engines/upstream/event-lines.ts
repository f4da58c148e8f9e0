// The data of server-sent events, as they come.

const mostHeld = 16 * 1024 * 1024; // of one event

// `alive` is called with every piece that comes.
export async function* eventsIn(body: AsyncIterable<Uint8Array>, alive: () => void): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let held = '';
  let data: string[] = [];
  let size = 0;
  for await (const piece of body) {
    alive();
    held += decoder.decode(piece, { stream: true });
    if (held.length > mostHeld) throw new Error('an event is too long');
    const lines = held.split(/\r\n|\n|\r(?!$)/);
    held = lines.pop() ?? '';
    for (const line of lines) {
      size += line.length;
      if (size > mostHeld) throw new Error('an event is too long');
      if (line === '') size = 0;
      if (line.startsWith('data:')) data.push(line.slice(line.startsWith('data: ') ? 6 : 5));
      else if (line === '' && data.length > 0) {
        yield data.join('\n');
        data = [];
      }
    }
  }
}
