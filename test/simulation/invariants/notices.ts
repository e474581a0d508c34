import { timestamp } from '#shared/contract/timestamp.ts';
import type { Delivery } from '#shared/domain/delivery.ts';
import { newsIn } from '#shared/domain/failure-streak.ts';
import { hour, minute } from '../../support/values/builders.ts';
import { noticeAfter } from '../world/ports.ts';
import type { World } from '../world/world.ts';
import { endings, sameTime } from './health.ts';
import type { Promises } from './promises.ts';
import type { Seen } from './seen.ts';

type Notice = Seen['journal']['notices'][number];

export const noticePromises = {
  /** Unless the endpoint was deleted, or the queue lost the message of the delivery. */
  *eachNoticeThatIsDueIsSent({ endpoints, journal, world }) {
    const sent = new Set(journal.notices.map(nameOf));
    for (const { customerId, id } of endpoints) {
      if (world.table.liveEndpoint(customerId, id) === null || journal.vanished.length > 0) continue;
      const missing = storedFor(world, customerId, id).find((change) => !sent.has(change));
      if (missing !== undefined) yield `nobody was told: ${missing}`;
    }
  },

  *eachNoticeIsAboutAChangeAndHasItsId({ endpoints, journal, world }) {
    for (const { customerId, id } of endpoints) {
      const notices = journal.notices.filter(({ endpoint }) => endpoint.id === id);
      const changes = storedFor(world, customerId, id);
      const wrong = notices.find((notice) => !changes.includes(nameOf(notice)));
      if (wrong !== undefined) yield `the operator was told: ${nameOf(wrong)}`;
      const ids = new Set(notices.map((notice) => notice.id));
      if (ids.size !== new Set(notices.map(nameOf)).size) yield `${id} has notices with the ids ${[...ids]}`;
    }
  },

  *failuresAreToldAtMostOnceAnHour({ endpoints, journal }) {
    for (const { id } of endpoints) {
      const told = onceEach(journal.notices, id).filter(({ type }) => type === 'endpoint.failing');
      const hasty = told.find((notice, index) => {
        const before = told[index - 1];
        return before !== undefined && timeOf(notice) - timeOf(before) < hour;
      });
      if (hasty !== undefined) yield `${id} was told again at ${hasty.time}`;
    }
  },

  *noticesOfFailuresAndRecoveriesAlternate({ endpoints, journal }) {
    if (journal.vanished.length > 0) return;
    for (const { id } of endpoints) {
      const types = onceEach(journal.notices, id).map(({ type }) => type);
      const isWrong = types.some((type, index) => (type === 'endpoint.failing') !== (index % 2 === 0));
      if (isWrong) yield `the operator was told about ${id}: ${types}`;
    }
  },

  *aNoticeFollowsFailuresInARow(seen) {
    if (!seen.isClean) return;
    for (const notice of seen.journal.notices.filter(({ type }) => type === 'endpoint.failing')) {
      const [since, at] = [Date.parse(notice.failing_since), timeOf(notice)];
      // The last failure to be noted may have ended before another one.
      const ends = endsOf(seen, notice.endpoint.id).filter(
        ({ endedAt }) => endedAt >= since && endedAt <= at + sameTime,
      );
      const delivered = ends.find(({ status, endedAt }) => status === 'delivered' && endedAt < at - sameTime);
      if (delivered !== undefined) yield `${notice.endpoint.id} had ${delivered.id} delivered before ${at}`;
      if (ends.length < noticeAfter && at - since < 30 * minute)
        yield `${notice.endpoint.id} failed ${ends.length} times when the operator was told`;
    }
  },

  /** Unless they were told within the hour before. */
  *theOperatorIsToldWhenAnEndpointKeepsFailing(seen) {
    if (!seen.isClean) return;
    for (const { customerId, id } of seen.endpoints) {
      if (seen.world.table.liveEndpoint(customerId, id) === null) continue;
      const told = onceEach(seen.journal.notices, id).filter(({ type }) => type === 'endpoint.failing');
      for (const { since, last } of rowsOfFailures(endsOf(seen, id))) {
        const isTold = told.some((notice) => timeOf(notice) >= Math.min(since, last - hour));
        if (!isTold) yield `nobody was told that ${id} failed from ${since} to ${last}`;
      }
    }
  },
} satisfies Promises<Seen>;

const timeOf = ({ time }: Notice) => Date.parse(time);
const nameOf = ({ type, failing_since: since, endpoint }: Notice) => `${type} ${endpoint.id} ${since}`;

/** The notices about an endpoint in the order of their times, without copies. */
function onceEach(notices: readonly Notice[], id: string): readonly Notice[] {
  const byId = new Map(notices.filter(({ endpoint }) => endpoint.id === id).map((notice) => [notice.id, notice]));
  return [...byId.values()].sort((one, other) => timeOf(one) - timeOf(other));
}

type End = Pick<Delivery, 'id' | 'status'> & { readonly endedAt: number };

/** The ends of the deliveries of an endpoint that count, in their order. */
function endsOf(seen: Seen, id: string): readonly End[] {
  return [...endings(seen)]
    .filter(({ after }) => after.webhookId === id && after.event.type !== 'webhook.test')
    .map(({ after, endedAt }) => ({ id: after.id, status: after.status, endedAt }))
    .sort((one, other) => one.endedAt - other.endedAt);
}

/** Enough failures in a row, and nothing about that time that was delivered. They begin after the last delivered one. */
function rowsOfFailures(ends: readonly End[]): readonly { readonly since: number; readonly last: number }[] {
  return ends.flatMap((_, index) => {
    const row = ends.slice(index, index + noticeAfter);
    const [first, last] = [row[0]?.endedAt ?? 0, row.at(-1)?.endedAt ?? 0];
    const isDoubtful = ends.some(
      ({ status, endedAt }) => status === 'delivered' && endedAt >= first - sameTime && endedAt <= last + sameTime,
    );
    const before = ends.slice(0, index).findLast(({ status }) => status === 'delivered');
    return row.length < noticeAfter || isDoubtful ? [] : [{ since: before?.endedAt ?? 0, last }];
  });
}

/** The notices that changes of an endpoint asked for, as they were stored. */
function storedFor(world: World, customerId: string, id: string): readonly string[] {
  let before: Parameters<typeof newsIn>[0] = null;
  return (world.table.versionsOf(customerId, id)?.all ?? []).flatMap(({ value }) => {
    if (value === null) return [];
    const news = newsIn(before, value.failureStreak);
    before = value.failureStreak;
    return news === null ? [] : [`${news.type} ${id} ${timestamp(news.failingSince)}`];
  });
}
