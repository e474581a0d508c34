import { useMemo } from 'preact/hooks';
import type { Failure } from '../api/failure.ts';
import { faultText, wordsOf } from '../api/problem-words.ts';
import { Marked } from './marked.tsx';
import { NewTab } from './new-tab.tsx';
import { Countdown } from './time.tsx';

type Props = {
  readonly failure: Failure;
  /** What did not work: `Could not load the deliveries`. */
  readonly what: string;
  /** Reads again. Absent after something that was to change: the reader repeats it where it began. */
  readonly onRetry?: () => void;
};

/** A problem document as people read it, with its page and the id of the request. */
export function FailureCard({ failure, what, onRetry }: Props) {
  return (
    <div class="card failure">
      <div role="alert">
        <h2>{what}</h2>
        {failure.kind === 'offline' ? (
          <OfflineText isRead={onRetry !== undefined} />
        ) : (
          <Text failure={failure} />
        )}
      </div>
      {failure.kind === 'problem' && <More failure={failure} />}
      {onRetry !== undefined && (
        <button type="button" class="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  );
}

function OfflineText({ isRead }: { readonly isRead: boolean }) {
  return (
    <p>
      {navigator.onLine ? 'The API does not answer.' : 'This device is offline.'}{' '}
      {isRead
        ? 'The console tries again by itself.'
        : 'Your request may have arrived: check before you repeat it.'}
    </p>
  );
}

type ProblemProps = { readonly failure: Extract<Failure, { kind: 'problem' }> };

function Text({ failure }: ProblemProps) {
  const { title, text, known } = wordsOf(failure);
  return (
    <>
      <p>
        <strong>{title}.</strong> {/* The faults say the same. */}
        {failure.faults.length === 0 && <Marked text={text} />}
      </p>
      {failure.faults.length > 0 && (
        <ul>
          {failure.faults.map((fault) => (
            <li key={fault.where + fault.detail}>
              <Marked text={faultText(fault)} />
            </li>
          ))}
        </ul>
      )}
      {(!known || failure.status >= 500) && failure.requestId !== null && (
        <p>If it happens again, send the code and the request id below to the support of the service.</p>
      )}
    </>
  );
}

function More({ failure }: ProblemProps) {
  const { page, requestId, code, retryAfter } = failure;
  const retryAt = useMemo(
    () => (retryAfter === null ? null : new Date(Date.now() + retryAfter * 1_000).toISOString()),
    [failure],
  );
  return (
    <>
      {retryAt !== null && (
        <p>
          The next request is possible in <Countdown to={retryAt} ended="a moment" />.
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
