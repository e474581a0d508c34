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

/** The parser of an option with a form of its own. @param expected says what to give instead of another text */
export function ofForm(isValid: (text: string) => boolean, expected: string): (text: string) => string {
  return (text) => {
    if (isValid(text)) return text;
    throw new InvalidArgumentError(expected);
  };
}
