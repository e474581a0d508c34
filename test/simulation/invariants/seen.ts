import { readEvent } from '#shared/contract/event-body.ts';
import { Problem } from '#shared/contract/problem.ts';
import type { Delivery } from '#shared/domain/delivery.ts';
import type { Endpoint } from '#shared/domain/endpoint.ts';
import { allDeliveries, allEndpoints } from '../world/customers.ts';
import type { ApiCall, Journal } from '../world/journal.ts';
import type { World } from '../world/world.ts';

/** A finished run, prepared for the promises. */
export type Seen = ReturnType<typeof lookBack>;
export type SeenPost = Seen['posts'][number];

type Owned = { readonly customerId: string };

/** Leaves out what belongs to deleted customers, of whom nothing is left to compare with. */
function withoutDeleted(journal: Journal, isKept: (owned: Owned) => boolean): Journal {
  if (journal.closings.size === 0) return journal;
  return {
    ...journal,
    replays: journal.replays.filter(({ replay }) => isKept(replay)),
    bulkReplays: journal.bulkReplays.filter(({ job }) => isKept(job)),
    claims: journal.claims.filter(({ delivery }) => isKept(delivery)),
    released: journal.released.filter(({ delivery }) => isKept(delivery)),
    recorded: journal.recorded.filter(({ after }) => isKept(after)),
    fanOuts: journal.fanOuts.filter(isKept),
    calls: journal.calls.filter(isKept),
    emitted: journal.emitted.filter(isKept),
  };
}

export function lookBack(world: World) {
  const isKept = ({ customerId }: Owned) => !world.journal.closings.has(customerId);
  const journal = withoutDeleted(world.journal, isKept);
  const eventIds = new Map<string, string>();
  const eventIdOf = ({ body }: Delivery): string => {
    const known = eventIds.get(body);
    const id = known ?? readEvent(body).id;
    if (known === undefined) eventIds.set(body, id);
    return id;
  };
  /** The endpoint and the event of a delivery: `<webhook id> <event id>`. */
  const pairOf = (delivery: Delivery): string => `${delivery.webhookId} ${eventIdOf(delivery)}`;
  const endpoints = allEndpoints(world).filter(isKept);
  const byUrl = new Map(endpoints.map((endpoint) => [endpoint.url, endpoint]));
  return {
    journal,
    world,
    endpoints,
    deliveries: allDeliveries(world).filter(isKept),
    posts: journal.posts.flatMap((post) => {
      const endpoint = byUrl.get(post.url);
      if (endpoint === undefined) return [];
      const eventId = post.headers['X-Service-Event-Id'] ?? '';
      const pair = `${endpoint.id} ${eventId}`;
      const claim = journal.claims.findLast(
        ({ invocation, at, delivery }) =>
          invocation === post.invocation && at <= post.beganAt && pairOf(delivery) === pair,
      );
      // When its function claimed the attempt; `null` if it did not.
      const claimedAt = claim?.at ?? null;
      return [{ ...post, endpoint, eventId, pair, claimedAt }];
    }),
    eventIdOf,
    pairOf,
    /** Whether no fault struck. */
    isClean: journal.faults.length === 0 && journal.outages === 0 && journal.powerCuts === 0,
  };
}

/** The number of things by name. */
export function countBy<T>(things: readonly T[], nameOf: (thing: T) => string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const thing of things) counts.set(nameOf(thing), (counts.get(nameOf(thing)) ?? 0) + 1);
  return counts;
}

type CallOf<D extends ApiCall['do']> = Extract<ApiCall, { readonly do: D }>;

export function callsOf<D extends ApiCall['do']>(calls: readonly ApiCall[], kind: D): readonly CallOf<D>[] {
  return calls.filter((call): call is CallOf<D> => call.do === kind);
}

/** Whether an error tells that nothing was done. Another call with the same key may be under way. */
export function isRefusal(error: unknown): error is Problem {
  return error instanceof Problem && error.code !== 'idempotency_in_progress';
}

/** The calls that count as one each: those with one key are one request. */
export function requestsOf<C extends Pick<ApiCall, 'key'>>(calls: readonly C[]): readonly C[] {
  const known = new Set<string>();
  return calls.filter(({ key }) => {
    if (key === null) return true;
    const isFirst = !known.has(key.digest);
    known.add(key.digest);
    return isFirst;
  });
}

type Answered<D extends ApiCall['do']> = CallOf<D> & {
  readonly outcome: { readonly ok: true };
  readonly answeredAt: number;
};

/** The calls of one kind that succeeded, without those that got the answer of an earlier one. */
export function answered<D extends ApiCall['do']>(calls: readonly ApiCall[], kind: D): readonly Answered<D>[] {
  return callsOf(calls, kind).filter(
    (call): call is Answered<D> => call.outcome?.ok === true && call.answeredAt !== null && !call.isReplayed,
  );
}

/** The states of a live endpoint at some time between two times; `null` while it was deleted. */
export function statesOf(
  { table }: World,
  { customerId, webhookId }: Pick<Delivery, 'customerId' | 'webhookId'>,
  from: number,
  to: number,
): readonly (Endpoint | null)[] {
  return table.versionsOf(customerId, webhookId)?.within(from, to) ?? [];
}
