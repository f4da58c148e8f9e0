// The end of the relay in the network container, for Python 3.9 and later. It listens at the services' address, and
// carries all connections over its standard input and output. region-relay.ts is the other end and describes frames.
export const relayScript = `
import asyncio, itertools, socket, struct, sys

OPEN, DATA, END, RESET, CREDIT = range(5)
WINDOW, CHUNK, MOST = 262144, 65536, 1000
header, amount = struct.Struct("!IBI"), struct.Struct("!I")
connections, numbers = {}, itertools.count()

def send(number, kind, data=b""):
    output.write(header.pack(number, kind, len(data)) + data)

def reset(writer):
    if not writer.transport.is_closing():
        linger = struct.pack("ii", 1, 0)
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        writer.transport.abort()

class Connection:
    def __init__(self, number, reader, writer):
        self.number, self.reader, self.writer = number, reader, writer
        self.credit, self.credited, self.received = WINDOW, asyncio.Event(), asyncio.Queue()

    async def up(self):
        while True:
            while self.credit == 0:
                self.credited.clear()
                await self.credited.wait()
            data = await self.reader.read(min(self.credit, CHUNK))
            if not data:
                break
            self.credit -= len(data)
            send(self.number, DATA, data)
            async with turn:
                await output.drain()
        send(self.number, END)

    async def down(self):
        while True:
            data = await self.received.get()
            if data is None:
                break
            self.writer.write(data)
            await self.writer.drain()
            send(self.number, CREDIT, amount.pack(len(data)))
        self.writer.write_eof()

    async def carry(self):
        self.parts = [asyncio.ensure_future(one) for one in (self.up(), self.down())]
        try:
            await asyncio.gather(*self.parts)
            self.writer.close()
        except (OSError, asyncio.CancelledError):
            if self.number in connections:
                send(self.number, RESET)
            reset(self.writer)
        for part in self.parts:
            part.cancel()
        connections.pop(self.number, None)

    def take(self, kind, data):
        if kind == DATA:
            self.received.put_nowait(data)
        elif kind == END:
            self.received.put_nowait(None)
        elif kind == CREDIT:
            self.credit += amount.unpack(data)[0]
            self.credited.set()
        else:
            del connections[self.number]
            for part in self.parts:
                part.cancel()

async def accept(reader, writer):
    if len(connections) >= MOST:
        return reset(writer)
    number = next(numbers)
    connections[number] = Connection(number, reader, writer)
    send(number, OPEN, amount.pack(writer.get_extra_info("sockname")[1]))
    await connections[number].carry()

async def listen(port):
    for tries in range(50): # the relay before this one may still end
        try:
            return await asyncio.start_server(accept, sys.argv[1], port, limit=CHUNK, backlog=500)
        except OSError as error:
            problem = error
            await asyncio.sleep(0.1)
    raise problem

async def main():
    global output, turn
    loop = asyncio.get_running_loop()
    input, turn = asyncio.StreamReader(limit=4 * CHUNK), asyncio.Lock()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(input), sys.stdin)
    transport, protocol = await loop.connect_write_pipe(asyncio.streams.FlowControlMixin, sys.stdout)
    output = asyncio.StreamWriter(transport, protocol, None, loop)
    for port in sys.argv[2:]:
        await listen(int(port))
    try:
        while True:
            number, kind, length = header.unpack(await input.readexactly(header.size))
            data = await input.readexactly(length)
            if number in connections:
                connections[number].take(kind, data)
    except asyncio.IncompleteReadError:
        pass # the region has closed the stream

asyncio.run(main())
`;
