import type { TestEndpoint } from './endpoints.ts';
import type { SeenPost } from './receivers.ts';
import type { SettledRun } from './run-engine.ts';
import type { StoredDelivery } from './stored-deliveries.ts';

/** The facts after everything has settled. */
export type Facts = {
  /** Runs whose message was accepted. */
  readonly runs: readonly SettledRun[];
  readonly endpoints: readonly TestEndpoint[];
  readonly deliveries: readonly StoredDelivery[];
  readonly posts: readonly SeenPost[];
  /** Whether a worker may have died, or lost the table, between counting an attempt and recording it. */
  readonly mayInterrupt: boolean;
};

export type Counts = {
  readonly events: number;
  readonly deliveries: number;
  readonly posts: number;
  readonly mostPosts: number;
  readonly delivered: number;
  readonly failed: number;
  readonly interrupted: number;
};

export type Verdict = { readonly counts: Counts; readonly broken: readonly string[] };

const mostAttempts = 3;

/** The deliveries of one event to one endpoint, its replays, and the POSTs that the receiver got. */
type Told = {
  readonly endpoint: TestEndpoint;
  readonly eventId: string;
  readonly deliveries: readonly StoredDelivery[];
  readonly posts: readonly SeenPost[];
};

/** Checks the promises against the POSTs that the receivers got. */
export function judge(facts: Facts): Verdict {
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
    const own = deliveries.filter(
      ({ delivery, eventType }) => delivery.webhookId === endpoint.webhookId && eventType !== 'webhook.test',
    );
    return [...Map.groupBy(own, ({ eventId }) => eventId)].map(([eventId, group]) => ({
      endpoint,
      eventId,
      deliveries: group,
      posts: posted.get(keyOf(endpoint.path, eventId)) ?? [],
    }));
  });
}

function count({ runs, deliveries }: Facts, told: readonly Told[]): Counts {
  const events = deliveries.filter(({ eventType }) => eventType !== 'webhook.test');
  const withStatus = (status: string) => events.filter(({ delivery }) => delivery.status === status).length;
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

const countInterrupted = (deliveries: readonly StoredDelivery[]): number =>
  deliveries.flatMap(({ delivery }) => delivery.log).filter(({ outcome }) => outcome === 'interrupted')
    .length;

function interrupted(stored: StoredDelivery): readonly string[] {
  const count = countInterrupted([stored]);
  return count === 0 ? [] : [`Delivery ${stored.delivery.id} was interrupted ${count} times without need`];
}

function unended({ delivery }: StoredDelivery): readonly string[] {
  return delivery.status === 'pending' ? [`Delivery ${delivery.id} is pending`] : [];
}

/** A Run has one event, with one delivery for each endpoint of that time. */
function untold({ endpoints, deliveries }: Facts, run: SettledRun): readonly string[] {
  const made = deliveries.filter(({ runId, delivery }) => runId === run.runId && delivery.replayOf === null);
  const events = new Set(made.map(({ eventId }) => eventId));
  const wrong = endpoints
    .filter(({ customer }) => customer.id === run.customerId)
    .map(({ webhookId, registeredAt }) => ({
      webhookId,
      count: made.filter(({ delivery }) => delivery.webhookId === webhookId).length,
      least: registeredAt <= run.firstSentAt ? 1 : 0,
    }))
    .filter(({ count, least }) => count < least || count > 1);
  return [
    ...(events.size > 1 ? [`Run ${run.runId} became ${events.size} events`] : []),
    ...wrong.map(({ webhookId, count }) => `Run ${run.runId} has ${count} deliveries for ${webhookId}`),
  ];
}

/** Only an interrupted attempt may or may not have been sent. */
function wrongNumbers({ eventId, endpoint, deliveries, posts }: Told): readonly string[] {
  const attempts = deliveries.reduce((sum, { delivery }) => sum + delivery.attempts, 0);
  const most = mostAttempts * deliveries.length;
  const about = `Event ${eventId} was posted ${posts.length} times to ${endpoint.path}`;
  if (posts.length > most) return [`${about}, and ${most} are allowed`];
  if (posts.length > attempts) return [`${about}, and only ${attempts} attempts are counted`];
  if (posts.length < attempts - countInterrupted(deliveries)) {
    return [`${about}, but ${attempts} attempts are counted`];
  }
  return [];
}

function wrongEnds({ eventId, endpoint, deliveries, posts }: Told): readonly string[] {
  const acknowledged = posts.filter(({ status }) => status < 300).length;
  const delivered = deliveries.filter(({ delivery }) => delivery.status === 'delivered').length;
  const early = deliveries.filter(
    ({ delivery }) => delivery.status === 'failed' && delivery.attempts < mostAttempts,
  );
  return [
    ...(delivered > acknowledged
      ? [`Event ${eventId} is stored as delivered, but ${endpoint.path} did not acknowledge it`]
      : []),
    ...early.map(({ delivery }) => `Delivery ${delivery.id} failed after ${delivery.attempts} attempts`),
  ];
}

/** All attempts of an event send the same bytes to every endpoint. */
function wrongBodies({ deliveries, posts }: Facts): readonly string[] {
  const bodies = [
    ...deliveries.map(({ eventId, delivery }) => ({ eventId, body: delivery.body })),
    ...posts.map(({ eventId, body }) => ({ eventId, body })),
  ];
  return [...Map.groupBy(bodies, ({ eventId }) => eventId)]
    .map(([eventId, group]) => ({ eventId, different: new Set(group.map(({ body }) => body)).size }))
    .filter(({ different }) => different > 1)
    .map(({ eventId, different }) => `Event ${eventId} has ${different} different bodies`);
}

function unknownPosts(posts: readonly SeenPost[], told: readonly Told[]): readonly string[] {
  const known = new Set(told.map(({ endpoint, eventId }) => keyOf(endpoint.path, eventId)));
  return posts
    .filter(({ path, eventId }) => !known.has(keyOf(path, eventId)))
    .map(({ path, eventId }) => `${path} got event ${eventId}, of which no delivery is stored`);
}
