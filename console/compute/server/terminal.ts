// A terminal of xterm.js on a WebSocket into a running server.
import { signal } from '@preact/signals';
import { FitAddon } from '@xterm/addon-fit';
import { Terminal } from '@xterm/xterm';
import { sessionProtocol } from '../../account/page-key.ts';

export type TerminalState = { is: 'connecting' | 'open' } | { is: 'closed'; reason: string };

const normalClosure = 1000;

export class ServerTerminal {
  readonly state = signal<TerminalState>({ is: 'connecting' });
  readonly #screen: Terminal;
  readonly #fit = new FitAddon();
  readonly #sizes: ResizeObserver;
  #socket: WebSocket | undefined;

  // `leave` is called for F6, since Tab and Escape belong to the server.
  constructor(element: HTMLElement, leave: () => void) {
    const { color, backgroundColor, fontFamily } = getComputedStyle(element);
    this.#screen = new Terminal({
      cursorBlink: true,
      fontFamily,
      fontSize: 13,
      theme: { background: backgroundColor, foreground: color, cursor: color },
    });
    this.#screen.loadAddon(this.#fit);
    this.#screen.open(element);
    this.#screen.attachCustomKeyEventHandler((event) => {
      if (event.key !== 'F6') return true;
      if (event.type === 'keydown') leave();
      return false;
    });
    this.#screen.onData((text) => this.#send(new TextEncoder().encode(text)));
    this.#screen.onBinary((bytes) => this.#send(Uint8Array.from(bytes, (one) => one.charCodeAt(0))));
    this.#screen.onResize(({ cols: columns, rows }) => this.#send(JSON.stringify({ columns, rows })));
    this.#sizes = new ResizeObserver(() => this.#fit.fit());
    this.#sizes.observe(element);
  }

  // `server`: its API path.
  connect(server: string): void {
    this.state.value = { is: 'connecting' };
    this.#screen.reset();
    this.#fit.fit();
    const { cols, rows } = this.#screen;
    const url = new URL(`${server}/terminal?columns=${cols}&rows=${rows}`, location.href);
    url.protocol = url.protocol.replace('http', 'ws');
    const socket = new WebSocket(url, sessionProtocol());
    socket.binaryType = 'arraybuffer';
    socket.onopen = () => {
      this.state.value = { is: 'open' };
      this.#screen.focus();
    };
    socket.onmessage = ({ data }) => this.#screen.write(typeof data === 'string' ? data : new Uint8Array(data));
    socket.onclose = ({ code, reason }) => {
      if (this.#socket === socket) this.state.value = { is: 'closed', reason: reasonOf(code, reason) };
    };
    this.#socket?.close();
    this.#socket = socket;
  }

  close(): void {
    this.#sizes.disconnect();
    this.#socket?.close();
    this.#socket = undefined;
    this.#screen.dispose();
  }

  #send(message: string | Uint8Array<ArrayBuffer>): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(message);
  }
}

function reasonOf(code: number, reason: string): string {
  if (reason !== '') return reason;
  return code === normalClosure ? 'The shell has ended.' : 'The connection has ended.';
}
