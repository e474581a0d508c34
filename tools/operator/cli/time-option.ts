import { InvalidArgumentError } from 'commander';
import * as z from 'zod';
import type { Clock } from '#shared/operations/ports.ts';

const millisecondsOf: ReadonlyMap<string, number> = new Map([
  ['s', 1_000],
  ['m', 60_000],
  ['h', 60 * 60_000],
  ['d', 24 * 60 * 60_000],
]);

const age = /^(\d{1,6})([smhd])$/;
const date = /^\d{4}-\d{2}-\d{2}$/;
/** A time without a zone would mean another moment on each machine. */
const isoTime = z.iso.datetime({ offset: true });

/**
 * Makes the parser of an option such as `--since` or `--until`. It takes an age before now (`90m`, `24h`, `7d`) or an
 * ISO 8601 time with its zone; a date alone is its midnight in UTC.
 *
 * @returns a parser that gives epoch milliseconds, and throws `InvalidArgumentError` for every other text
 */
export function timeOption(now: Clock): (text: string) => number {
  return (text) => {
    const time = parseAge(text, now()) ?? parseIsoTime(text);
    if (time !== null && time >= 0) return time;
    throw new InvalidArgumentError(
      'Give an age such as 90m, 24h or 7d, or an ISO 8601 time such as 2026-01-31T12:00:00Z',
    );
  };
}

function parseAge(text: string, now: number): number | null {
  const [, number, unit = ''] = age.exec(text) ?? [];
  const milliseconds = millisecondsOf.get(unit);
  return milliseconds === undefined ? null : now - Number(number) * milliseconds;
}

function parseIsoTime(text: string): number | null {
  const parsed = isoTime.safeParse(date.test(text) ? `${text}T00:00:00Z` : text);
  return parsed.success ? Date.parse(parsed.data) : null;
}
