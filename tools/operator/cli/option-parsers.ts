import { InvalidArgumentError } from 'commander';
import * as z from 'zod';
import { rangeLimit } from '#shared/contract/instant.ts';
import type { Clock } from '#shared/operations/ports.ts';

/** The parser of an option with a form of its own. @param expected says what to give instead of another text */
export function ofForm(isValid: (text: string) => boolean, expected: string): (text: string) => string {
  return (text) => {
    if (isValid(text)) return text;
    throw new InvalidArgumentError(expected);
  };
}

/** The parser of an option that is a number. @param expected says what to give instead of another text */
export function ofNumber(isValid: (number: number) => boolean, expected: string): (text: string) => number {
  const parse = ofForm((text) => text.trim() !== '' && isValid(Number(text)), expected);
  return (text) => Number(parse(text));
}

/** The parser of an option that is a whole number. The sentence that says what to give is `ask` and then `expected`. */
export function wholeNumber(
  least: number,
  most: number,
  ask = 'Give',
  expected = `a whole number from ${least} to ${most}`,
): (text: string) => number {
  const isValid = (text: string) => /^\d+$/.test(text) && Number(text) >= least && Number(text) <= most;
  const parse = ofForm(isValid, `${ask} ${expected}`);
  return (text) => Number(parse(text));
}

export const isHttps = (text: string): boolean => URL.parse(text)?.protocol === 'https:';

/** The parser of an option that says how long to wait. */
export const secondsUpTo = (most: number) =>
  ofNumber((seconds) => seconds > 0 && seconds <= most, `Expected a number of seconds above 0, at most ${most}`);

const seconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 60 * 60, d: 24 * 60 * 60 };

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
  const [, count, unit = ''] = age.exec(text) ?? [];
  return count === undefined ? null : now - Number(count) * (seconds[unit] ?? 0) * 1000;
}

function parseIsoTime(text: string): number | null {
  const parsed = isoTime.safeParse(date.test(text) ? `${text}T00:00:00Z` : text);
  return parsed.success ? rangeLimit(parsed.data) : null;
}
