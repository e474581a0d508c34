import type { Context } from '../harness/context.ts';
import type { Received } from '../harness/receiver.ts';
import { mainEndpoint } from './main-endpoint.ts';
import { rotation } from './rotation.ts';

/** All POSTs to the main endpoint so far, and those before and during the rotation of a secret. */
export async function allPosts(ctx: Context): Promise<readonly Received[]> {
  const [{ endpoint, handshake }, { before, during }] = await Promise.all([mainEndpoint(ctx), rotation(ctx)]);
  return [handshake, before, during, ...(await ctx.receiver().inbox(endpoint.mailbox))];
}
