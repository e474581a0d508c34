import { readFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { errorCode } from '#shared/http/error-code.ts';
import { type LoopbackServer, listenOnLoopback } from '../servers/loopback-server.ts';

/** Where the service reaches this program. */
export type Place =
  | {
      /** An origin that the local stack trusts, with the certificate that it trusts there. */
      readonly kind: 'stack';
      readonly origins: readonly string[];
      readonly certFile: string;
      readonly keyFile: string;
    }
  | {
      /** A public https URL, which a tunnel connects to plain http on a port of this machine. */
      readonly kind: 'tunnel';
      readonly url: string;
      readonly port: number;
    };

export type OpenReceiver = Pick<LoopbackServer, 'port' | 'close'> & {
  /** The URL to register. */
  readonly url: string;
};

/**
 * Listens where the service can reach this program.
 *
 * @throws Error with the next step when no port is free
 */
export async function openReceiver(place: Place, listener: RequestListener): Promise<OpenReceiver> {
  if (place.kind === 'stack') return await openAtStack(place, listener);
  try {
    // A tunnel passes its own host name on.
    const { port, close } = await listenOnLoopback(createServer(listener), place.port, 'any');
    return { port, close, url: place.url };
  } catch (cause) {
    throw isInUse(cause) ? new Error(`Port ${place.port} is in use: choose another with --port`, { cause }) : cause;
  }
}

async function openAtStack(
  { origins, certFile, keyFile }: Extract<Place, { kind: 'stack' }>,
  listener: RequestListener,
): Promise<OpenReceiver> {
  const tls = { cert: await readFile(certFile), key: await readFile(keyFile) };
  for (const origin of origins) {
    const wanted = Number(new URL(origin).port);
    try {
      const { port, close } = await listenOnLoopback(createHttpsServer(tls, listener), wanted);
      return { port, close, url: `${origin}/` };
    } catch (error) {
      if (!isInUse(error)) throw error;
    }
  }
  throw new Error(
    `All addresses that the stack trusts are in use (${origins.join(', ')}): stop one of the programs that listen there`,
  );
}

function isInUse(error: unknown): boolean {
  return error instanceof Error && errorCode(error.cause) === 'EADDRINUSE';
}
