import { replaceSecret } from '#shared/aws/table/endpoints/endpoints.ts';
import { problem } from '#shared/contract/problem.ts';
import { timestamp } from '#shared/contract/timestamp.ts';
import { changeSettles, type Endpoint, overlapEnd, overlapExpiresAt } from '#shared/domain/endpoint.ts';
import { secretPrefix } from '#shared/domain/signing-secret.ts';
import { notActive } from '#shared/operations/found.ts';
import type { Needs } from '#shared/operations/needs.ts';
import { freshSecretSeed, type SecretSeed } from '#shared/operations/seed.ts';
import { withLastDelivery } from './read-webhooks.ts';

type Deps = Pick<Needs, 'table' | 'now' | 'wait' | 'randomBytes' | 'encryptSecret' | 'report'>;

/**
 * Creates a new signing secret; the old one stays valid during the overlap. The response waits until no worker acts on
 * an earlier read of the endpoint, so every POST that begins after it is signed with the new secret too.
 */
export function rotateSecret(deps: Deps) {
  return async (
    customerId: string,
    webhookId: string,
    seed: SecretSeed = freshSecretSeed(deps),
  ): Promise<{ readonly endpoint: Endpoint; readonly secret: string; readonly overlapEnd: number }> => {
    const { secret, encrypted } = await seed.newSecret({ customerId, webhookId });
    const at = deps.now();
    const result = await replaceSecret(deps.table, {
      customerId,
      webhookId,
      secret: encrypted,
      secretPrefix: secretPrefix(secret),
      at,
      overlapEnd: overlapEnd(at),
    });
    if (!result.rotated) throw refusal(result.endpoint, at);
    const [endpoint] = await Promise.all([complete(deps, result.endpoint), deps.wait(changeSettles)]);
    // An earlier try of the request may have begun the overlap.
    return { endpoint, secret, overlapEnd: endpoint.previousSecretExpiresAt ?? overlapEnd(at) };
  };
}

/** The secret is shown only in this response, so a failure to read the time of the last delivery must not lose it. */
async function complete(deps: Deps, endpoint: Endpoint): Promise<Endpoint> {
  try {
    return await withLastDelivery(deps.table, endpoint);
  } catch (cause) {
    const subject = { customerId: endpoint.customerId, webhookId: endpoint.id };
    deps.report({ name: 'step.failed', step: 'read-last-delivery', subject, cause });
    return endpoint;
  }
}

function refusal(endpoint: Endpoint | null, now: number) {
  if (endpoint === null) return problem('not_found');
  const expiresAt = overlapExpiresAt(endpoint, now);
  if (endpoint.status === 'active' && expiresAt !== null) {
    return problem('webhook_rotation_in_progress', { overlap_expires_at: timestamp(expiresAt) });
  }
  return notActive(endpoint);
}
