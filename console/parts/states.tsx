import type { ComponentChildren } from 'preact';
import type { Failure } from '../api/failure.ts';
import { FailureCard } from './failure-card.tsx';
import type { Load } from './use-load.ts';

/** Shown while something loads; screen readers hear it. */
function Loading({ what }: { readonly what: string }) {
  return (
    <div class="loading" role="status">
      <span class="spinner" aria-hidden="true" /> Loading {what}…
    </div>
  );
}

/** Shown in place of a list without entries: what it will hold, and what to do. */
export function Empty({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <div class="card empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

type LoadedProps<T> = {
  readonly load: Load<T>;
  /** What loads: `the deliveries`. */
  readonly what: string;
  readonly children: (value: T) => ComponentChildren;
};

/** Shows what was loaded, or why it is not there. A failed refresh keeps the last value below a note. */
export function LoadedView<T>({ load, what, children }: LoadedProps<T>) {
  const { result, reload } = load;
  if (result.state === 'loading') return <Loading what={what} />;
  if (result.state === 'failed') {
    return (
      <FailureCard failure={result.failure} what={`Could not load ${what}`} onRetry={() => void reload()} />
    );
  }
  return (
    <>
      {result.stale !== null && <StaleNote failure={result.stale} />}
      {children(result.value)}
    </>
  );
}

function StaleNote({ failure }: { readonly failure: Failure }) {
  const reason =
    failure.kind === 'offline'
      ? 'The API does not answer'
      : failure.retryAfter === null
        ? failure.title
        : 'The request limit is reached';
  return (
    <p class="note" role="status">
      {reason}. Showing the last known state. Retrying…
    </p>
  );
}
