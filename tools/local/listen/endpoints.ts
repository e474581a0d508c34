import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { connect } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { type ApiClient, ApiProblem, done, resultOf, type Schemas } from '../../../packages/api-client/client.ts';
import { loopbackHost } from '../servers/loopback-server.ts';
import { keep, readKept } from '../stack/kept-file.ts';

export type Webhook = Schemas['Webhook'];

const idSchema = z.object({ id: z.string().regex(/^[0-9a-f]{12}$/) });

/**
 * The id that the descriptions of endpoints carry, so that a later run in the same folder finds those that a killed one
 * left behind, and no others. It is neither secret nor derived from a key.
 *
 * @param folder where the id is kept
 * @param makeId 12 hexadecimal digits
 */
export async function openFolderId(folder: string, makeId: () => string): Promise<string> {
  const file = path.join(folder, 'listen.json');
  const kept = await readKept(file, idSchema).catch(() => undefined);
  if (kept !== undefined) return kept.id;
  const id = makeId();
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await keep(file, { id });
  return id;
}

/** The description of the endpoint of a listening program. */
export function endpointMark(folderId: string, port: number): string {
  return `npm run listen (folder ${folderId}, port ${port})`;
}

/**
 * Finds the endpoints that killed programs left behind: those of this folder whose port nobody listens on.
 *
 * @param ownPort port that this program listens on: an endpoint that names it belongs to an earlier one
 */
export async function findLeftOvers(
  webhooks: readonly Webhook[],
  folderId: string,
  ownPort: number,
): Promise<readonly Webhook[]> {
  const found: Webhook[] = [];
  for (const webhook of webhooks) {
    const port = portOf(webhook.description, folderId);
    if (port === undefined) continue;
    if (port === ownPort || !(await isListening(port))) found.push(webhook);
  }
  return found;
}

function portOf(description: string, folderId: string): number | undefined {
  const port = Number(/, port (\d{1,5})\)$/.exec(description)?.[1]);
  return description === endpointMark(folderId, port) ? port : undefined;
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect({ host: loopbackHost, port });
  const connected = once(socket, 'connect').then(
    () => true,
    () => false,
  );
  try {
    return await Promise.race([connected, sleep(1_000, true, { ref: false })]);
  } finally {
    socket.destroy();
  }
}

/** All endpoints of a customer: a page holds more than a customer may have. */
export async function listEndpoints(api: ApiClient): Promise<readonly Webhook[]> {
  return (await resultOf(api.GET('/v1/webhooks'))).items;
}

/** Deletes an endpoint; one that does not exist any more is no failure. */
export async function deleteEndpoint(api: ApiClient, id: string): Promise<void> {
  await done(api.DELETE('/v1/webhooks/{id}', { params: { path: { id } } })).catch((error: unknown) => {
    if (!(error instanceof ApiProblem) || error.status !== 404) throw error;
  });
}
