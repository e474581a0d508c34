import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import type { Failure } from '../api/failure.ts';
import { faultText, wordsOf } from '../api/problem-words.ts';
import { type Live, useLiveRefresh } from './use-live-refresh.ts';
import type { Load } from './use-load.ts';
import { Countdown, Marked, NewTab } from './values.tsx';

type EmptyProps = { readonly title: string; readonly text: string; readonly children?: ComponentChildren };

/** Shown in place of a list without entries: what it will hold, and what to do. */
export function Empty({ title, text, children }: EmptyProps) {
  return (
    <div class="card empty">
      <h2>{title}</h2>
      <p>{text}</p>
      {children}
    </div>
  );
}

type LoadedProps<T> = {
  readonly load: Load<T>;
  /** What loads: `the deliveries`. */
  readonly what: string;
  /** For a value that changes by itself. */
  readonly live?: Live<T> | undefined;
  readonly children: (value: T) => ComponentChildren;
};

/** Shows what was loaded, or why it is not there. A failed refresh keeps the last value below a note. */
export function LoadedView<T>({ load, what, live, children }: LoadedProps<T>) {
  const { value, failure, reload } = load;
  useLiveRefresh(load, live);
  if (value !== null) {
    return (
      <>
        {failure !== null && (
          <p class="note" role="status">
            {staleReason(failure)}. Showing the last known state. Retrying…
          </p>
        )}
        {children(value)}
      </>
    );
  }
  if (failure !== null)
    return <FailureCard failure={failure} what={`Could not load ${what}`} onRetry={() => void reload()} />;
  return (
    <div class="loading" role="status">
      <span class="spinner" aria-hidden="true" /> Loading {what}…
    </div>
  );
}

function staleReason(failure: Failure): string {
  if (failure.kind === 'offline') return 'The API does not answer';
  return failure.retryAfter === null ? failure.title : 'The request limit is reached';
}

type FailureProps = {
  readonly failure: Failure;
  /** What did not work: `Could not load the deliveries`. */
  readonly what: string;
  /** Reads again. Absent after something that was to change: the reader repeats it where it began. */
  readonly onRetry?: () => void;
};

/** A problem document as people read it, with its page and the id of the request. */
export function FailureCard({ failure, what, onRetry }: FailureProps) {
  return (
    <div class="card failure">
      <div role="alert">
        <h2>{what}</h2>
        {failure.kind === 'problem' ? (
          <ProblemText failure={failure} />
        ) : (
          <p>
            {navigator.onLine ? 'The API does not answer.' : 'This device is offline.'}{' '}
            {onRetry !== undefined
              ? 'The console tries again by itself.'
              : 'Your request may have arrived. Repeat it here: it is done once.'}
          </p>
        )}
      </div>
      {failure.kind === 'problem' && <ProblemFacts failure={failure} />}
      {onRetry !== undefined && (
        <button type="button" class="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  );
}

type ProblemProps = { readonly failure: Extract<Failure, { kind: 'problem' }> };

function ProblemText({ failure }: ProblemProps) {
  const { title, text, known } = wordsOf(failure);
  const { faults, status, requestId } = failure;
  return (
    <>
      <p>
        <strong>{title}.</strong> {/* The faults say the same. */}
        {faults.length === 0 && <Marked text={text} />}
      </p>
      {faults.length > 0 && (
        <ul>
          {faults.map((fault) => (
            <li key={fault.where + fault.detail}>
              <Marked text={faultText(fault)} />
            </li>
          ))}
        </ul>
      )}
      {(!known || status >= 500) && requestId !== null && (
        <p>If it happens again, send the code and the request id below to the support of the service.</p>
      )}
    </>
  );
}

function ProblemFacts({ failure }: ProblemProps) {
  const { page, requestId, code, retryAfter } = failure;
  const retryAt = useMemo(() => new Date(Date.now() + (retryAfter ?? 0) * 1_000).toISOString(), [failure]);
  return (
    <>
      {retryAfter !== null && (
        <p>
          The next request is possible in <Countdown to={retryAt} />.
        </p>
      )}
      <p class="muted small">
        {page !== null && (
          <NewTab href={page}>
            What <code>{code ?? 'this'}</code> means
          </NewTab>
        )}
        {page !== null && requestId !== null && ' · '}
        {requestId !== null && (
          <>
            Request <code>{requestId}</code>
          </>
        )}
      </p>
    </>
  );
}
