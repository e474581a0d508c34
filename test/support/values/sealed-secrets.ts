import { isRecent, type Moment } from '#shared/domain/moment.ts';
import type { Clock, DecryptSecret, EncryptSecret, SecretContext } from '#shared/operations/ports.ts';
import type { Io } from '../table/io.ts';

const timeToLive = 5 * 60_000;

/** "Seals" by writing the context beside the secret; no test secret needs protection. */
export function sealed(secret: string, { customerId, webhookId }: SecretContext): string {
  return JSON.stringify([customerId, webhookId, secret]);
}

export function unsealed(text: string, context: SecretContext): string {
  const [customerId, webhookId, secret]: readonly unknown[] = JSON.parse(text);
  const fits = customerId === context.customerId && webhookId === context.webhookId;
  if (!fits || typeof secret !== 'string') throw new Error('Cannot open a secret in another context');
  return secret;
}

export function encryptSecret(io: Io): EncryptSecret {
  return (secret, context) => io({ service: 'kms', name: 'seal' }, () => sealed(secret, context));
}

/** Opened secrets of one warm function, and when each was read. */
export type SecretCache = Map<string, { readonly secret: string; readonly readAt: Moment }>;

export function decryptSecret(
  io: Io,
  cache: SecretCache,
  clocks: { readonly now: Clock; readonly monotonic: Clock },
): DecryptSecret {
  return async (text, context) => {
    const name = `${context.webhookId} ${text}`;
    const at = { now: clocks.now(), monotonic: clocks.monotonic() };
    const kept = cache.get(name);
    if (kept !== undefined && isRecent(kept.readAt, at, timeToLive)) return kept.secret;
    const secret = await io({ service: 'kms', name: 'open' }, () => unsealed(text, context));
    cache.set(name, { secret, readAt: at });
    return secret;
  };
}
