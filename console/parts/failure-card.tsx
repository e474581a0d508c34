import { useEffect } from 'preact/hooks';
import type { Failure } from '../api/failure.ts';
import { useSession } from '../session/session.ts';
import { Countdown } from './time.tsx';
import { useNow } from './use-now.ts';

type Props = {
  readonly failure: Failure;
  /** What did not work: `Could not load the deliveries`. */
  readonly what: string;
  readonly onRetry?: () => void;
};

/** A problem document as people read it, with its page and the id of the request. */
export function FailureCard({ failure, what, onRetry }: Props) {
  const { announce } = useSession();
  useEffect(() => announce(`${what}. ${summaryOf(failure)}`), [failure]);
  return (
    <div class="card failure">
      <h2>{what}</h2>
      {failure.kind === 'offline' ? <OfflineText /> : <ProblemText failure={failure} />}
      {onRetry !== undefined && (
        <button type="button" class="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  );
}

function summaryOf(failure: Failure): string {
  return failure.kind === 'offline' ? 'The API does not answer' : (failure.detail ?? failure.title);
}

function OfflineText() {
  return (
    <p>
      The API does not answer. {navigator.onLine ? 'It may be down.' : 'This device is offline.'} What you see
      may be old, and nothing that you sent is lost: try again.
    </p>
  );
}

type ProblemProps = { readonly failure: Extract<Failure, { kind: 'problem' }> };

function ProblemText({ failure }: ProblemProps) {
  const { title, detail, faults, page, requestId, code, retryAfter } = failure;
  return (
    <>
      <p>
        <strong>{title}</strong>
        {detail !== null && detail !== title && <>: {detail}</>}
      </p>
      {faults.length > 0 && (
        <ul>
          {faults.map(({ where, detail: fault }) => (
            <li key={where + fault}>
              {where !== '' && <code>{where}</code>} {fault}
            </li>
          ))}
        </ul>
      )}
      {retryAfter !== null && <RetryTime seconds={retryAfter} />}
      <p class="muted">
        {page !== null && code !== null && (
          <>
            <a href={page} target="_blank" rel="noreferrer">
              What <code>{code}</code> means
            </a>
            {' · '}
          </>
        )}
        {requestId !== null && (
          <>
            Request <code>{requestId}</code>
          </>
        )}
      </p>
    </>
  );
}

function RetryTime({ seconds }: { readonly seconds: number }) {
  const shown = useNow(60_000);
  return (
    <p>
      The next request is possible in{' '}
      <Countdown to={new Date(shown + seconds * 1_000).toISOString()} ended="a moment" />.
    </p>
  );
}
