// Servers and clients in the machines of a network of namespaces. A server answers each request with its name and what
// it received.
import type { Namespaces } from './namespaces.ts';

const server = `
import http.server, json, socket, socketserver, sys
name, port = sys.argv[1], int(sys.argv[2])
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def setup(self):
        super().setup()
        self.proxied, first = None, self.rfile.peek(16)
        if first.startswith(b"PROXY "):
            self.proxied = self.rfile.readline().decode().split()[2]
        elif first.startswith(bytes.fromhex("0d0a0d0a000d0a515549540a")):
            head = self.rfile.read(16)
            self.proxied = socket.inet_ntoa(self.rfile.read(int.from_bytes(head[14:16], "big"))[:4])
    def do_GET(self):
        self.rfile.read(int(self.headers.get("content-length") or 0))
        seen = {"server": name, "path": self.path, "from": self.client_address[0], "to": self.connection.getsockname()[0]}
        seen["proxied"] = self.proxied
        seen["headers"] = {key.lower(): value for key, value in self.headers.items()}
        body = json.dumps(seen).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    do_POST = do_GET
    def log_message(self, *rest): pass
class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads, request_queue_size = True, 200
made = Server(("0.0.0.0", port), Handler)
print("ready", flush=True)
made.serve_forever()
`;

export const startServer = (host: Namespaces, machine: string, port = 8080) =>
  host.serve(machine, server, machine, String(port));

const client = `
import http.client, json, ssl, sys
kept = None
def open_link(wish):
    limit = wish.get("limit", 5)
    if not wish.get("tls"):
        return http.client.HTTPConnection(wish["host"], wish["port"], timeout=limit)
    class Named(http.client.HTTPSConnection):
        def connect(self):
            http.client.HTTPConnection.connect(self)
            self.sock = self._context.wrap_socket(self.sock, server_hostname=wish["name"])
    return Named(wish["host"], wish["port"], timeout=limit, context=ssl.create_default_context(cadata=wish["tls"]))
def request(link, wish):
    link.request(wish.get("method", "GET"), wish.get("path", "/"), headers=wish.get("headers", {}))
    certificate = ssl.DER_cert_to_PEM_cert(link.sock.getpeercert(True)) if wish.get("tls") else None
    answer = link.getresponse()
    headers = dict((key.lower(), value) for key, value in answer.getheaders())
    return {"status": answer.status, "headers": headers, "certificate": certificate, "body": answer.read().decode("latin-1")}
for line in sys.stdin:
    wish = json.loads(line)
    try:
        if wish.get("isKept") and "host" in wish:
            kept = open_link(wish)
        link = kept if wish.get("isKept") else open_link(wish)
        found = request(link, wish)
        if link is not kept:
            link.close()
    except Exception as problem:
        found = {"error": repr(problem)}
    print(json.dumps(found), flush=True)
`;

export interface Wish {
  host: string;
  port?: number;
  path?: string;
  method?: string;
  headers?: Record<string, string>;
  limit?: number; // seconds
  tls?: string; // the certificates of trusted authorities
  name?: string; // of the server, for TLS
}

export interface Found {
  status?: number;
  headers?: Record<string, string>;
  body?: string;
  certificate?: string;
  error?: string;
}

export class Client {
  readonly #ask: (line: string) => Promise<string>;

  private constructor(ask: (line: string) => Promise<string>) {
    this.#ask = ask;
  }

  static async in(host: Namespaces, machine: string): Promise<Client> {
    return new Client(await host.serve(machine, `print("ready", flush=True)\n${client}`));
  }

  async get(wish: Wish): Promise<Found> {
    return JSON.parse(await this.#ask(JSON.stringify({ port: 80, ...wish }))) as Found;
  }

  // The name of the server that answered, or the error.
  async served(wish: Wish): Promise<string> {
    const { status, body = '', error } = await this.get(wish);
    return status === 200 ? (JSON.parse(body) as { server: string }).server : `${status ?? ''}${error ?? ''}`;
  }

  // Opens a connection that stays open.
  async keep(wish: Wish): Promise<void> {
    await this.#ask(JSON.stringify({ port: 80, ...wish, isKept: true }));
  }

  // The server that answers on that connection.
  async keptBy(): Promise<string> {
    const { body, error } = JSON.parse(await this.#ask(JSON.stringify({ isKept: true }))) as Found;
    return error ?? (JSON.parse(body ?? '') as { server: string }).server;
  }
}
