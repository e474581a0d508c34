import type { Table } from '#shared/aws/clients.ts';
import type { Endpoint } from '#shared/domain/endpoint.ts';
import type { SlowPace } from '#shared/domain/post-window.ts';
import { toSlowPaceItem } from './endpoint-item.ts';
import { changeLive, type EndpointKey } from './endpoints.ts';

// Each of these functions changes a live endpoint, and returns whether it did: another worker may have been first.

const clauses = {
  isNotSlow: 'attribute_not_exists(slow_since)',
  isSlow: 'attribute_exists(slow_since)',
  isFree: 'NOT (slow_turn > :now)',
  hasNoBetterNote:
    'NOT (slow_pace.answering = :yes AND (slow_pace.noted_at > :youngest OR slow_pace.fastest_ms < :fastest))',
  isNotedThen: 'slow_pace.noted_at = :noted',
  isMarkedThen: 'slow_since = :since',
} as const;

/** Marks an endpoint as slow since a time (epoch milliseconds), unless it is marked. */
export function markSlow(table: Table, endpoint: Endpoint, since: number): Promise<boolean> {
  return changeLive(table, endpoint, 'SET slow_since = :since', clauses.isNotSlow, { ':since': since });
}

/** Removes the mark that was read; a newer one stays. */
export function clearSlow(table: Table, endpoint: Endpoint): Promise<boolean> {
  return changeLive(table, endpoint, 'REMOVE slow_since, slow_pace, slow_turn', clauses.isMarkedThen, {
    ':since': endpoint.slowSince,
  });
}

/**
 * Notes how an endpoint that is marked answers. It does not replace a note of an answer that is younger than `youngest`
 * (epoch milliseconds), or that names a faster answer.
 */
export function notePace(table: Table, endpoint: EndpointKey, pace: SlowPace, youngest: number): Promise<boolean> {
  const note = toSlowPaceItem(pace);
  const isBetter = `${clauses.isSlow} AND ${clauses.hasNoBetterNote}`;
  const values = { ':youngest': youngest, ':fastest': note.fastest_ms ?? 0, ':yes': true };
  return changeLive(table, endpoint, 'SET slow_pace = :pace', isBetter, { ':pace': note, ...values });
}

/** Replaces the note that an endpoint answered last at that time; a newer one stays. */
export function narrowPace(table: Table, endpoint: EndpointKey, pace: SlowPace): Promise<boolean> {
  const isSame = `${clauses.isSlow} AND ${clauses.isNotedThen}`;
  const values = { ':pace': toSlowPaceItem(pace), ':noted': pace.notedAt };
  return changeLive(table, endpoint, 'SET slow_pace = :pace', isSame, values);
}

/**
 * Takes a turn to post to an endpoint that is marked, unless another worker has one until after `now`. Both times are
 * epoch milliseconds.
 */
export function takeTurn(table: Table, endpoint: EndpointKey, now: number, until: number): Promise<boolean> {
  return changeLive(table, endpoint, 'SET slow_turn = :until', `${clauses.isSlow} AND ${clauses.isFree}`, {
    ':now': now,
    ':until': until,
  });
}
