import { readingLasts, validSecrets } from '#shared/domain/endpoint.ts';
import { signatureHeader, standardHeaders } from '#shared/domain/signature.ts';
import { unsealed } from '../../support/memory/secret-cipher.ts';
import type { Seen, SeenPost } from './seen.ts';
import type { Verdict } from './verdict.ts';

const encoder = new TextEncoder();

function anEventHasTheSameBytesEverywhere({ posts }: Seen): Verdict {
  const bodies = new Map<string, string>();
  for (const { eventId, body } of posts) {
    if ((bodies.get(eventId) ?? body) !== body)
      return `${eventId} was sent as ${bodies.get(eventId)} and ${body}`;
    bodies.set(eventId, body);
  }
  return null;
}

function everyPostSendsTheStoredBytes({ posts, deliveries, eventIdOf }: Seen): Verdict {
  const stored = new Map(deliveries.map((delivery) => [eventIdOf(delivery), delivery.body]));
  const odd = posts.find(({ eventId, body }) => stored.get(eventId) !== body);
  return odd === undefined
    ? null
    : `${odd.eventId} was sent as ${odd.body}, stored as ${stored.get(odd.eventId)}`;
}

function everyPostHasAFreshSignature({ posts }: Seen): Verdict {
  for (const post of posts) {
    const sentAt = post.beganAt + post.invocation.skewAt(post.beganAt);
    const second = Math.floor(sentAt / 1000);
    if (signedAt(post) !== second || post.headers['webhook-timestamp'] !== String(second))
      return `sent at ${sentAt}, signed ${signature(post)} and at ${post.headers['webhook-timestamp']}`;
  }
  return null;
}

/** Receivers detect duplicates by this id, whichever header they read. */
function everyPostNamesItsEventInBothFormats({ posts }: Seen): Verdict {
  const odd = posts.find(({ headers, eventId }) => headers['webhook-id'] !== eventId);
  return odd === undefined ? null : `${odd.eventId} was sent as ${odd.headers['webhook-id']}`;
}

/** The secrets that were valid when the function read the endpoint: two in an overlap, one outside. */
function aPostIsSignedWithTheValidSecrets({ posts, world }: Seen): Verdict {
  for (const post of posts) {
    if (![...possibleSignatures(post, world)].includes(signature(post)))
      return `${post.eventId} to ${post.endpoint.id} at ${post.beganAt} was signed ${signature(post)}`;
  }
  return null;
}

function* possibleSignatures(post: SeenPost, world: Seen['world']) {
  const { customerId, id: webhookId } = post.endpoint;
  const from = post.beganAt - readingLasts;
  const versions = world.table.versionsOf(customerId, webhookId)?.within(from, post.beganAt) ?? [];
  for (const version of versions.filter((endpoint) => endpoint !== null)) {
    for (const at of [from, post.beganAt]) {
      const secrets = validSecrets(version, at + post.invocation.skewAt(at));
      const opened = secrets.map((sealed) => unsealed(sealed, { customerId, webhookId }));
      const body = encoder.encode(post.body);
      const sentAt = post.beganAt + post.invocation.skewAt(post.beganAt);
      const standard = standardHeaders(opened, post.eventId, body, sentAt);
      yield `${signatureHeader(opened, body, sentAt)} ${standard['webhook-signature']}`;
    }
  }
}

/** A secret verifies from the response that shows it until the end of the next overlap. */
function aShownSecretVerifiesFromThenOn({ posts, journal }: Seen): Verdict {
  for (const call of journal.calls) {
    if (call.do !== 'rotate' || call.outcome?.ok !== true) continue;
    const { secret } = call.outcome.value;
    const answeredAt = call.answeredAt ?? 0;
    const later = journal.calls.some(
      (other) => other.do === 'rotate' && other.webhookId === call.webhookId && other.startedAt > answeredAt,
    );
    const sent = later ? [] : posts.filter(({ endpoint }) => endpoint.id === call.webhookId);
    for (const post of sent) {
      if (post.beganAt <= answeredAt) continue;
      const body = encoder.encode(post.body);
      const sentAt = post.beganAt + post.invocation.skewAt(post.beganAt);
      const alone = [
        ...signatureHeader([secret], body, sentAt).split(','),
        standardHeaders([secret], post.eventId, body, sentAt)['webhook-signature'],
      ];
      if (!alone.every((part) => signature(post).includes(part)))
        return `${post.endpoint.id} cannot verify ${signature(post)} with the secret it was shown`;
    }
  }
  return null;
}

/** The signatures of both formats. */
function signature({ headers }: SeenPost): string {
  return `${headers['X-Service-Signature']} ${headers['webhook-signature']}`;
}

function signedAt(post: SeenPost): number {
  return Number(/^t=(\d+),/.exec(signature(post))?.[1]);
}

export const signaturePromises = [
  anEventHasTheSameBytesEverywhere,
  everyPostSendsTheStoredBytes,
  everyPostHasAFreshSignature,
  everyPostNamesItsEventInBothFormats,
  aPostIsSignedWithTheValidSecrets,
  aShownSecretVerifiesFromThenOn,
];
