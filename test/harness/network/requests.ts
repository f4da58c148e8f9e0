// Servers and clients in the machines of a network of namespaces. A server answers each request with its name and what
// it received.
import type { Namespaces } from './namespaces.ts';

const server = `
import http.server, json, socketserver, sys
name, port = sys.argv[1], int(sys.argv[2])
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(self):
        seen = {"server": name, "path": self.path, "from": self.client_address[0], "to": self.connection.getsockname()[0]}
        seen["headers"] = {key.lower(): value for key, value in self.headers.items()}
        body = json.dumps(seen).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
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
for line in sys.stdin:
    wish = json.loads(line)
    try:
        if wish.get("tls"):
            context = ssl.create_default_context(cadata=wish["tls"])
            context.check_hostname = False
            link = http.client.HTTPSConnection(wish["host"], wish["port"], timeout=5, context=context)
        else:
            link = http.client.HTTPConnection(wish["host"], wish["port"], timeout=5)
        link.request(wish.get("method", "GET"), wish.get("path", "/"), headers=wish.get("headers", {}))
        answer = link.getresponse()
        found = {"status": answer.status, "headers": dict((k.lower(), v) for k, v in answer.getheaders())}
        if wish.get("tls"):
            found["certificate"] = ssl.DER_cert_to_PEM_cert(link.sock.getpeercert(True)) if link.sock else None
        found["body"] = answer.read().decode("latin-1")
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
  tls?: string; // the certificates of trusted authorities
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
}
