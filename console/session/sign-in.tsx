import type { TargetedSubmitEvent } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { type Failure, summaryOf } from '../api/failure.ts';
import { BrandMark, SupportLink, showTitle } from '../parts/brand.tsx';
import { NewTab } from '../parts/values.tsx';
import { type Given, typedCredential } from './credential.ts';
import type { SignedOut } from './sessions.ts';

type Props = {
  readonly state: SignedOut;
  readonly onGiven: (given: Given) => void;
  readonly onRetry: () => void;
  /** Forgets the credential of a link or of this tab. */
  readonly onOther: () => void;
};

/** Asks for an API key or an access token, unless a link or a tab has one. */
export function SignIn({ state, onGiven, onRetry, onOther }: Props) {
  useEffect(() => {
    showTitle('Sign in');
  }, []);
  const { resuming, busy } = state;
  return (
    <main id="content" class="sign-in">
      <p class="brand">
        <BrandMark />
      </p>
      {!resuming ? (
        <Form state={state} onGiven={onGiven} />
      ) : (
        <section class="card">
          <h1>{busy ? 'Signing in…' : 'Could not sign in'}</h1>
          {busy && (
            <p class="loading" role="status">
              <span class="spinner" aria-hidden="true" /> One moment
            </p>
          )}
          {state.failure !== null && <SignInFailure failure={state.failure} />}
          {!busy && (
            <div class="actions">
              <button type="button" class="button primary" onClick={onRetry}>
                Try again
              </button>
              <button type="button" class="button" onClick={onOther}>
                Use another key
              </button>
            </div>
          )}
        </section>
      )}
    </main>
  );
}

type FormProps = Pick<Props, 'state' | 'onGiven'>;

function Form({ state: { reason, failure, busy }, onGiven }: FormProps) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  const submit = (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const credential = typedCredential(String(form.get('credential')));
    if (!busy) onGiven({ credential, keeping: form.has('kept') ? 'tab' : 'memory' });
  };
  return (
    <form class="card" onSubmit={submit}>
      <h1>Sign in</h1>
      {reason !== null && (
        <p class="note" role="alert">
          {reason}
        </p>
      )}
      <label class="field">
        <span>API key or access token</span>
        <input
          ref={input}
          type="password"
          name="credential"
          autocomplete="off"
          spellcheck={false}
          required
          aria-invalid={failure?.kind === 'problem'}
          aria-describedby={failure === null ? undefined : failureId}
        />
      </label>
      <label class="choice">
        <input type="checkbox" name="kept" />
        <span>Stay signed in while this tab is open, also after a reload</span>
      </label>
      {failure !== null && <SignInFailure failure={failure} />}
      <button type="submit" class="button primary wide" aria-disabled={busy}>
        {busy ? 'Signing in…' : 'Sign in'}
      </button>
      <p class="muted small">
        The key stays in the open tabs of this console and is sent to this API only. A portal link from your provider
        signs you in without a key: open it, or paste it here. <SupportLink />
      </p>
    </form>
  );
}

const failureId = 'sign-in-failure';

function SignInFailure({ failure }: { readonly failure: Failure }) {
  const page = failure.kind === 'problem' ? failure.page : null;
  return (
    <p class="note bad" role="alert" id={failureId}>
      {failure.kind === 'offline' ? 'The API does not answer. Try again in a moment.' : summaryOf(failure)}
      {page !== null && (
        <>
          {' '}
          <NewTab href={page}>What this means</NewTab>
        </>
      )}
    </p>
  );
}
