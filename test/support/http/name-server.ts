import { createSocket } from 'node:dgram';
import { once } from 'node:events';

export type NameServer = Awaited<ReturnType<typeof startNameServer>>;

const failures = { nxdomain: 3, servfail: 2, notimp: 4, refused: 5 } as const;

/** A failure, no answer at all, or the bytes of addresses of the family that was asked for. */
export type NameServerAnswer = keyof typeof failures | 'silence' | readonly (readonly number[])[];

/** A name server on loopback with the answers that the test gives. */
export async function startNameServer(answer: (question: string) => NameServerAnswer | Promise<NameServerAnswer>) {
  const socket = createSocket('udp4');
  /** Questions so far, as `A name` or `AAAA name`. */
  const questions: string[] = [];
  socket.on('message', async (query, peer) => {
    const question = readQuestion(query);
    questions.push(question);
    const told = await answer(question);
    if (told !== 'silence') socket.send(response(query, told), peer.port, peer.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    questions,
    close: async () => {
      socket.close();
      await once(socket, 'close');
    },
  };
}

function readQuestion(query: Buffer): string {
  const labels: string[] = [];
  let at = 12;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return `${query.readUInt16BE(at + 1) === 28 ? 'AAAA' : 'A'} ${labels.join('.')}`;
}

function response(query: Buffer, told: Exclude<NameServerAnswer, 'silence'>): Buffer {
  const end = query.indexOf(0, 12) + 5;
  const records = typeof told === 'string' ? [] : told;
  const head = Buffer.from(query.subarray(0, 12));
  head.writeUInt16BE(0x8180 + (typeof told === 'string' ? failures[told] : 0), 2);
  head.writeUInt16BE(records.length, 6);
  head.writeUInt32BE(0, 8);
  return Buffer.concat([head, query.subarray(12, end), ...records.map(record)]);
}

function record(address: readonly number[]): Buffer {
  const type = address.length === 4 ? 1 : 28;
  return Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, address.length, ...address]);
}
