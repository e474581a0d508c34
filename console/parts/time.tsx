import { clockText, localTime, relativeTime, utcTime } from './time-text.ts';
import { useNow } from './use-now.ts';

/** A time in the reader's zone, with UTC on hover. */
export function Time({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} title={utcTime(at)}>
      {localTime(at)}
    </time>
  );
}

/** How long ago a time is, or until it comes. */
export function RelativeTime({ at }: { readonly at: string }) {
  const now = useNow(10_000);
  return (
    <time dateTime={at} title={`${localTime(at)} · ${utcTime(at)}`}>
      {relativeTime(at, now)}
    </time>
  );
}

/** The time that is left, by the second; `ended` afterwards. */
export function Countdown({ to, ended }: { readonly to: string; readonly ended: string }) {
  const left = Date.parse(to) - useNow(1_000);
  return (
    <time class="countdown" dateTime={to} title={`${localTime(to)} · ${utcTime(to)}`}>
      {left > 0 ? clockText(left) : ended}
    </time>
  );
}
