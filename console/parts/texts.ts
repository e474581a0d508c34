/** Values as people read them. Times are ISO 8601 or epoch milliseconds, in the zone of the reader or in UTC. */

/**
 * Dates in a language, with their zone; those of the browser when none is given. 24 hours in every language, as in logs.
 */
export function timeFormat(language?: string, timeZone?: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat(language, {
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'short',
    timeZone,
  });
}

const local = timeFormat();

/** The language in which times are written, and the zone of the reader: `de-DE`, `Europe/Berlin`. */
export const { locale: language, timeZone: zone } = local.resolvedOptions();

const clock = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
const date = { month: 'short', day: 'numeric' } as const;

function formatsIn(timeZone?: string) {
  const format = (parts: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(undefined, { ...parts, timeZone });
  return {
    whole: timeFormat(undefined, timeZone),
    date: format(date),
    minute: format(clock),
    second: format({ ...clock, second: '2-digit' }),
    dateAndSecond: format({ ...date, ...clock, second: '2-digit' }),
  };
}

/** How times are shown, in the zone that the reader chose. */
const shown = { isUtc: false, ...formatsIn() };

export const isUtcShown = (): boolean => shown.isUtc;

/** Shows all times that are written from now on in UTC, or in the zone of the reader. */
export function showUtc(isUtc: boolean): void {
  Object.assign(shown, { isUtc, ...formatsIn(isUtc ? 'UTC' : undefined) });
}

/** `Nov 22, 2026, 14:05:09 GMT+1` in the language of the browser and the zone that is shown. */
export function localTime(at: string): string {
  return shown.whole.format(new Date(at));
}

/** `14:05:09` of today, `Nov 22, 14:05:09` of another day. @param now epoch milliseconds */
export function clockTime(at: string, now: number): string {
  const time = new Date(at);
  const isToday = shown.date.format(time) === shown.date.format(now) && Math.abs(now - time.getTime()) < 864e5;
  return (isToday ? shown.second : shown.dateAndSecond).format(time);
}

/** A mark of an axis: `14:05`, or `Nov 22` where days are shown. */
export function markText(at: string, unit: 'minute' | 'date'): string {
  return shown[unit].format(new Date(at));
}

/** `12,345` in the language of the browser. */
export function numberText(count: number): string {
  return count.toLocaleString(language);
}

/** `1 delivery`, `1,250 deliveries` */
export function countOf(deliveries: number): string {
  return deliveries === 1 ? '1 delivery' : `${numberText(deliveries)} deliveries`;
}

/** The zone as times show it: `GMT+1`. It changes with daylight saving. @param now epoch milliseconds */
export function zoneMark(now: number, format = shown.whole): string {
  return format.formatToParts(now).find(({ type }) => type === 'timeZoneName')?.value ?? '';
}

/** `2026-11-22 14:05:09.120 UTC` */
export function utcTime(at: string): string {
  return new Date(at).toISOString().replace('T', ' ').replace('Z', ' UTC');
}

/** `3 min ago`, `in 2 h`, `just now`. */
export function relativeTime(at: string, now: number): string {
  const seconds = Math.round((Date.parse(at) - now) / 1_000);
  const distance = Math.abs(seconds);
  if (distance < 5) return 'just now';
  const text = shortDuration(distance);
  return seconds < 0 ? `${text} ago` : `in ${text}`;
}

const units = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
] as const;

/** The largest unit that fits, rounded down: `45 s`, `3 min`, `2 h`, `5 d`. @param seconds at least 0 */
export function shortDuration(seconds: number): string {
  const [size, name] = units.find(([unit]) => seconds >= unit) ?? [1, 's'];
  return `${Math.floor(seconds / size)} ${name}`;
}

/** `9:05`, or `1:02:09` from an hour on. @param milliseconds at least 0 */
export function clockText(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1_000);
  const two = (value: number) => String(value).padStart(2, '0');
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60];
  const rest = two(seconds % 60);
  return hours > 0 ? `${hours}:${two(minutes)}:${rest}` : `${minutes}:${rest}`;
}

/** The host and the port of an endpoint's URL; the whole text when it is no URL. */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}
