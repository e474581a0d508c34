import { type Delivery, isHandshake } from '#shared/domain/delivery.ts';
import type { SeenPost, TestEndpoint } from './receivers.ts';
import type { SettledRun } from './run-engine.ts';

/** The facts after everything has settled. */
export type Facts = {
  /** Runs whose message was accepted. */
  readonly runs: readonly SettledRun[];
  readonly endpoints: readonly TestEndpoint[];
  readonly deliveries: readonly Delivery[];
  readonly posts: readonly SeenPost[];
  /** Whether a worker may have died, or lost the table, between counting an attempt and recording it. */
  readonly mayInterrupt: boolean;
};

export type Counts = ReturnType<typeof count>;

const mostAttempts = 3;

/** The deliveries of one event to one endpoint, its replays, and the POSTs that the receiver got. */
type Told = {
  readonly endpoint: TestEndpoint;
  readonly eventId: string;
  readonly deliveries: readonly Delivery[];
  readonly posts: readonly SeenPost[];
};

/** Checks the promises against the POSTs that the receivers got. */
export function judge(facts: Facts) {
  const told = pairUp(facts);
  return {
    counts: count(facts, told),
    broken: [
      ...facts.deliveries.flatMap(unended),
      ...facts.runs.flatMap((run) => untold(facts, run)),
      ...told.flatMap((each) => [...wrongNumbers(each), ...wrongEnds(each)]),
      ...(facts.mayInterrupt ? [] : facts.deliveries.flatMap(interrupted)),
      ...wrongBodies(facts),
      ...unknownPosts(facts.posts, told),
    ],
  };
}

const keyOf = (path: string, eventId: string): string => `${path} ${eventId}`;

function pairUp({ endpoints, deliveries, posts }: Facts): readonly Told[] {
  const posted = Map.groupBy(posts, ({ path, eventId }) => keyOf(path, eventId));
  return endpoints.flatMap((endpoint) => {
    const own = deliveries.filter((each) => each.webhookId === endpoint.webhookId && !isHandshake(each));
    return [...Map.groupBy(own, ({ event }) => event.id)].map(([eventId, group]) => ({
      endpoint,
      eventId,
      deliveries: group,
      posts: posted.get(keyOf(endpoint.path, eventId)) ?? [],
    }));
  });
}

function count({ runs, deliveries }: Facts, told: readonly Told[]) {
  const events = deliveries.filter((delivery) => !isHandshake(delivery));
  const withStatus = (asked: string) => events.filter(({ status }) => status === asked).length;
  return {
    events: runs.length,
    deliveries: events.length,
    posts: told.reduce((sum, { posts }) => sum + posts.length, 0),
    mostPosts: Math.max(0, ...told.map((each) => Math.ceil(each.posts.length / each.deliveries.length))),
    delivered: withStatus('delivered'),
    failed: withStatus('failed'),
    interrupted: countInterrupted(events),
  };
}

const countInterrupted = (deliveries: readonly Delivery[]): number =>
  deliveries.flatMap(({ log }) => log).filter(({ outcome }) => outcome === 'interrupted').length;

function interrupted(delivery: Delivery): readonly string[] {
  const count = countInterrupted([delivery]);
  return count === 0 ? [] : [`Delivery ${delivery.id} was interrupted ${count} times without need`];
}

function unended({ id, status }: Delivery): readonly string[] {
  return status === 'pending' ? [`Delivery ${id} is pending`] : [];
}

/** A Run has one event, with one delivery for each endpoint of that time. */
function untold({ endpoints, deliveries }: Facts, run: SettledRun): readonly string[] {
  const made = deliveries.filter(({ event, replayOf }) => event.runId === run.runId && replayOf === null);
  const events = new Set(made.map(({ event }) => event.id));
  const wrong = endpoints.flatMap(({ customer, webhookId, registeredAt }) => {
    if (customer.id !== run.customerId) return [];
    const { length } = made.filter((delivery) => delivery.webhookId === webhookId);
    const least = registeredAt <= run.firstSentAt ? 1 : 0;
    return length < least || length > 1 ? [`Run ${run.runId} has ${length} deliveries for ${webhookId}`] : [];
  });
  return [...(events.size > 1 ? [`Run ${run.runId} became ${events.size} events`] : []), ...wrong];
}

/**
 * An interrupted attempt may or may not have been sent. On a machine without processor time, one may end before its
 * connection is open.
 */
const mayBeUnsent = ({ outcome, timings }: Delivery['log'][number]): boolean =>
  outcome === 'interrupted' ||
  (outcome === 'timed_out' && timings.tlsMs === null && (timings.dnsMs ?? timings.connectMs) !== null);

function wrongNumbers({ eventId, endpoint, deliveries, posts }: Told): readonly string[] {
  const attempts = deliveries.reduce((sum, delivery) => sum + delivery.attempts, 0);
  const most = mostAttempts * deliveries.length;
  const about = `Event ${eventId} was posted ${posts.length} times to ${endpoint.path}`;
  if (posts.length > most) return [`${about}, and ${most} are allowed`];
  if (posts.length > attempts) return [`${about}, and only ${attempts} attempts are counted`];
  const unsent = deliveries.flatMap(({ log }) => log).filter(mayBeUnsent).length;
  return posts.length < attempts - unsent ? [`${about}, but ${attempts} attempts are counted`] : [];
}

function wrongEnds({ eventId, endpoint, deliveries, posts }: Told): readonly string[] {
  const acknowledged = posts.filter(({ status }) => status < 300).length;
  const delivered = deliveries.filter(({ status }) => status === 'delivered').length;
  const early = deliveries.filter(({ status, attempts }) => status === 'failed' && attempts < mostAttempts);
  const unseen = `Event ${eventId} is stored as delivered, but ${endpoint.path} did not acknowledge it`;
  return [
    ...(delivered > acknowledged ? [unseen] : []),
    ...early.map(({ id, attempts }) => `Delivery ${id} failed after ${attempts} attempts`),
  ];
}

/** All attempts of an event send the same bytes to every endpoint. */
function wrongBodies({ deliveries, posts }: Facts): readonly string[] {
  const sent = [...posts, ...deliveries.map(({ event, body }) => ({ eventId: event.id, body }))];
  return [...Map.groupBy(sent, ({ eventId }) => eventId)].flatMap(([eventId, group]) => {
    const { size } = new Set(group.map(({ body }) => body));
    return size > 1 ? [`Event ${eventId} has ${size} different bodies`] : [];
  });
}

function unknownPosts(posts: readonly SeenPost[], told: readonly Told[]): readonly string[] {
  const known = new Set(told.map(({ endpoint, eventId }) => keyOf(endpoint.path, eventId)));
  return posts
    .filter(({ path, eventId }) => !known.has(keyOf(path, eventId)))
    .map(({ path, eventId }) => `${path} got event ${eventId}, of which no delivery is stored`);
}
