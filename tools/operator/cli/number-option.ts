import { InvalidArgumentError } from 'commander';

/** The parser of an option that is a whole number. */
export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (number >= least && number <= most) return number;
    throw new InvalidArgumentError(`Give a whole number from ${least} to ${most}`);
  };
}

/** The parser of an option that says how long to wait. */
export function secondsUpTo(most: number): (text: string) => number {
  return (text) => {
    const seconds = Number(text);
    if (text.trim() !== '' && seconds > 0 && seconds <= most) return seconds;
    throw new InvalidArgumentError(`Expected a number of seconds above 0, at most ${most}`);
  };
}
