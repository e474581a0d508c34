import { readingLasts, validSecrets } from '#shared/domain/endpoint.ts';
import { signatureHeader, standardHeaders } from '#shared/domain/signature.ts';
import { unsealed } from '../../support/values/sealed-secrets.ts';
import type { Promises } from './promises.ts';
import { answered, callsOf, type Seen, type SeenPost, statesOf } from './seen.ts';

const encoder = new TextEncoder();

function* possibleSignatures(post: SeenPost, world: Seen['world']) {
  const { customerId, id: webhookId } = post.endpoint;
  const from = post.beganAt - readingLasts;
  const states = statesOf(world, { customerId, webhookId }, from, post.beganAt);
  for (const version of states.filter((endpoint) => endpoint !== null)) {
    for (const at of [from, post.beganAt]) {
      const secrets = validSecrets(version, at + post.invocation.skewAt(at));
      const opened = secrets.map((sealed) => unsealed(sealed, { customerId, webhookId }));
      yield signaturesBy(opened, post);
    }
  }
}

/** The signatures of both formats. */
function signature({ headers }: SeenPost): string {
  return `${headers['X-Service-Signature']} ${headers['webhook-signature']}`;
}

/** The same, as these secrets sign. */
function signaturesBy(secrets: readonly string[], post: SeenPost): string {
  const [body, sentAt] = [encoder.encode(post.body), sentAtOf(post)];
  const standard = standardHeaders(secrets, post.eventId, body, sentAt);
  return `${signatureHeader(secrets, body, sentAt)} ${standard['webhook-signature']}`;
}

/** By the clock of the function. */
function sentAtOf({ beganAt, invocation }: SeenPost): number {
  return beganAt + invocation.skewAt(beganAt);
}

export const signaturePromises = {
  /** In every POST, and in every delivery that is stored. */
  *anEventHasTheSameBytesEverywhere({ posts, deliveries, eventIdOf }) {
    const stored = new Map(deliveries.map((delivery) => [eventIdOf(delivery), delivery.body]));
    for (const { eventId, body } of posts)
      if (stored.get(eventId) !== body) yield `${eventId} was sent as ${body}, stored as ${stored.get(eventId)}`;
  },

  *everyPostHasAFreshSignature({ posts }) {
    for (const post of posts) {
      const sentAt = sentAtOf(post);
      const second = Math.floor(sentAt / 1000);
      if (!signature(post).startsWith(`t=${second},`) || post.headers['webhook-timestamp'] !== String(second))
        yield `sent at ${sentAt}, signed ${signature(post)} and at ${post.headers['webhook-timestamp']}`;
    }
  },

  /** Receivers detect duplicates by this id, whichever header they read. */
  *everyPostNamesItsEventInBothFormats({ posts }) {
    for (const { headers, eventId } of posts)
      if (headers['webhook-id'] !== eventId) yield `${eventId} was sent as ${headers['webhook-id']}`;
  },

  /** The secrets that were valid when the function read the endpoint: two in an overlap, one outside. */
  *aPostIsSignedWithTheValidSecrets({ posts, world }) {
    for (const post of posts) {
      if (![...possibleSignatures(post, world)].includes(signature(post)))
        yield `${post.eventId} to ${post.endpoint.id} at ${post.beganAt} was signed ${signature(post)}`;
    }
  },

  /** A secret verifies from the response that shows it until the end of the next overlap. */
  *aShownSecretVerifiesFromThenOn({ posts, journal }) {
    for (const { webhookId, outcome, answeredAt } of answered(journal.calls, 'rotate')) {
      const isReplaced = callsOf(journal.calls, 'rotate').some(
        (other) => other.webhookId === webhookId && other.startedAt > answeredAt,
      );
      if (isReplaced) continue;
      for (const post of posts) {
        if (post.endpoint.id !== webhookId || post.beganAt <= answeredAt) continue;
        const alone = signaturesBy([outcome.value.secret], post).split(/,(?=v1=)| /);
        if (!alone.every((part) => signature(post).includes(part)))
          yield `${post.endpoint.id} cannot verify ${signature(post)} with the secret it was shown`;
      }
    }
  },
} satisfies Promises<Seen>;
