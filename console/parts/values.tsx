import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { partsOf } from '../api/problem-words.ts';
import type { BulkReplay, Delivery, Run, Webhook } from '../api/records.ts';
import { hrefOf, type Route } from '../routing/route.ts';
import { useSession } from '../session/session.ts';
import { clockText, language, localTime, relativeTime, shortDuration, utcTime } from './texts.ts';

/** A status of the API, or one of those that readers see in its place. */
export type Status = (BulkReplay | Delivery | Run | Webhook)['status'] | 'failing' | 'not active' | 'retrying';

const tones: Readonly<Record<Status, string>> = {
  active: 'good',
  delivered: 'good',
  completed: 'good',
  failed: 'bad',
  failing: 'bad',
  'not active': 'open',
  pending: 'open',
  retrying: 'open',
  running: 'open',
  partial: 'open',
  queued: 'quiet',
  cancelled: 'quiet',
  deleted: 'quiet',
};

type BadgeProps = {
  readonly status: Status;
  /** Why, in a word. */
  readonly cause?: string;
  /** The color; by default that of the status. */
  readonly tone?: string | undefined;
};

/** A status. The text says it, the color repeats it. */
export function Badge({ status, cause = '', tone = tones[status] ?? 'quiet' }: BadgeProps) {
  return (
    <span class={`badge ${tone}`}>
      {status}
      {cause !== '' && ` · ${cause}`}
    </span>
  );
}

/** A time in the reader's zone, with UTC on hover. */
export function Time({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} title={utcTime(at)} lang={language}>
      {localTime(at)}
    </time>
  );
}

type DistanceProps = { readonly at: string; readonly kind?: string; readonly children: string };

/** How far a time is, with the time itself on hover. */
function Distance({ at, kind, children }: DistanceProps) {
  return (
    <time class={kind} dateTime={at} title={`${localTime(at)} · ${utcTime(at)}`}>
      {children}
    </time>
  );
}

/** How long ago a time is, or until it comes. */
export function RelativeTime({ at }: { readonly at: string }) {
  return <Distance at={at}>{relativeTime(at, useNow(10_000))}</Distance>;
}

/** How long something lasts, since a time: `22 min`. */
export function Elapsed({ since }: { readonly since: string }) {
  const seconds = (useNow(10_000) - Date.parse(since)) / 1_000;
  return <Distance at={since}>{shortDuration(Math.max(0, seconds))}</Distance>;
}

/** The time that is left, by the second; then that it is a moment. */
export function Countdown({ to }: { readonly to: string }) {
  const left = Date.parse(to) - useNow(1_000);
  return (
    <Distance at={to} kind="countdown">
      {left > 0 ? clockText(left) : 'a moment'}
    </Distance>
  );
}

/** The time, renewed every `interval` milliseconds. */
export function useNow(interval: number): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), interval);
    return () => clearInterval(timer);
  }, [interval]);
  return now;
}

/** @param what is copied, for readers of the screen: `delivery id` */
type CopyProps = { readonly text: string; readonly what: string };

/** A button that copies a text. */
export function CopyButton({ text, what }: CopyProps) {
  const { announce } = useSession();
  const [label, setLabel] = useState('Copy');
  useEffect(() => {
    const timer = setTimeout(() => setLabel('Copy'), 2_000);
    return () => clearTimeout(timer);
  }, [label]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setLabel('Copied');
      announce(`Copied ${what}`);
    } catch {
      setLabel('Not allowed');
      announce(`The browser did not allow copying the ${what}: select and copy it`);
    }
  };
  return (
    <button type="button" class="copy" aria-label={`Copy ${what}`} onClick={() => void copy()}>
      {label}
    </button>
  );
}

/** An id, with a button that copies it. */
export function Id({ text, what }: CopyProps) {
  return (
    <span class="id">
      <code>{text}</code>
      <CopyButton text={text} what={what} />
    </span>
  );
}

/** Names with their values; a row whose value is `null` or empty is left out. */
export function Facts({ rows }: { readonly rows: Readonly<Record<string, ComponentChildren>> }) {
  const filled = Object.entries(rows).filter(([, value]) => value !== null && value !== '');
  return (
    <dl class="facts">
      {filled.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** A text of the API, whose backticks mark code. */
export function Marked({ text }: { readonly text: string }) {
  return <>{partsOf(text).map((part, index) => (part.isCode ? <code key={index}>{part.text}</code> : part.text))}</>;
}

type LinkProps = { readonly to: Route; readonly children: ComponentChildren };

/** A link to another view that looks like a button. */
export function ButtonLink({ to, children }: LinkProps) {
  return (
    <a class="button" href={hrefOf(to)}>
      {children}
    </a>
  );
}

/** A link that opens beside the console, as those to the documentation do: what the reader has typed stays. */
export function NewTab({ href, children }: { readonly href: string; readonly children: ComponentChildren }) {
  return (
    <a href={href} target="_blank" rel="noreferrer">
      {children}
    </a>
  );
}
