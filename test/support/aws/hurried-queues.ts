import { createServer } from 'node:http';
import { type LoopbackServer, listenOnLoopback, readBody } from '../../../local/servers/loopback-server.ts';

const largestBody = 8 * 1024 * 1024;
const passedHeaders = ['content-type', 'authorization', 'x-amz-target', 'x-amzn-trace-id'];

/**
 * A proxy before the SQS emulator, in which no message waits for its delay.
 *
 * @param target origin of the emulator
 * @param onTrace called with the trace header of each call that has one
 */
export function hurryQueues(target: string, onTrace: (header: string) => void): Promise<LoopbackServer> {
  const server = createServer(async (incoming, outgoing) => {
    const gone = new AbortController();
    const trace = incoming.headers['x-amzn-trace-id'];
    if (typeof trace === 'string') onTrace(trace);
    outgoing.once('close', () => gone.abort());
    try {
      const body = (await readBody(incoming, largestBody)).toString('utf8');
      const headers = passedHeaders.flatMap((name): [string, string][] => {
        const value = incoming.headers[name];
        return typeof value === 'string' ? [[name, value]] : [];
      });
      const answer = await fetch(target, {
        method: 'POST',
        headers,
        body: body.replaceAll(/"DelaySeconds":\d+/g, '"DelaySeconds":0'),
        signal: gone.signal,
      });
      const text = await answer.text();
      outgoing.writeHead(answer.status, { 'content-type': 'application/x-amz-json-1.0' }).end(text);
    } catch {
      outgoing.destroy();
    }
  });
  return listenOnLoopback(server, 0);
}
