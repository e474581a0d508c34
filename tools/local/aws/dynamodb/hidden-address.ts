import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { loopbackHost } from '../../servers/loopback-server.ts';

/** The address a program listens on. */
export type Address = { readonly host: string; readonly port: number };

/**
 * Ports that browsers refuse to connect to: the unprivileged ports of the Fetch standard's list of bad ports.
 * https://fetch.spec.whatwg.org/#port-blocking
 */
export const blockedPorts: readonly number[] = [
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697,
  10_080,
];

/**
 * Finds a free address for a program that answers every web page. Browsers block its port. Its host is one of the 16
 * million loopback addresses, chosen at random, where the system has them, as Linux does. So other programs that
 * connect to addresses of an attacker's choice do not find it either.
 *
 * @throws Error when every blocked port is taken, which can happen only where loopback has one address
 */
export async function findHiddenAddress(): Promise<Address> {
  for (const host of [randomLoopbackHost(), loopbackHost]) {
    for (const port of shuffled(blockedPorts)) {
      if (await isFree({ host, port })) return { host, port };
    }
  }
  throw new Error(
    `Cannot start the DynamoDB emulator: none of the ports ${blockedPorts.join(', ')} is free on ${loopbackHost}. ` +
      'End another local stack, or set DYNAMODB_ENDPOINT to the address of a running emulator',
  );
}

function randomLoopbackHost(): string {
  return ['127', randomInt(1, 255), randomInt(0, 256), randomInt(1, 255)].join('.');
}

async function isFree(address: Address): Promise<boolean> {
  const server = createServer();
  try {
    await once(server.listen({ ...address, exclusive: true }), 'listening');
    server.close();
    await once(server, 'close');
    return true;
  } catch {
    return false;
  }
}

function shuffled(numbers: readonly number[]): readonly number[] {
  return numbers
    .map((number) => ({ number, order: randomInt(2 ** 40) }))
    .sort((one, other) => one.order - other.order)
    .map(({ number }) => number);
}
