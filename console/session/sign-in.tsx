import { useState } from 'preact/hooks';
import type { Failure } from '../api/failure.ts';
import type { Given } from './credential.ts';

type Props = {
  /** Why the reader has to sign in again; `null` at first. */
  readonly reason: string | null;
  readonly failure: Failure | null;
  readonly busy: boolean;
  readonly onGiven: (given: Given) => void;
};

/** Asks for an API key or an access token. */
export function SignIn({ reason, failure, busy, onGiven }: Props) {
  const [credential, setCredential] = useState('');
  const [kept, setKept] = useState(false);
  const submit = (event: Event) => {
    event.preventDefault();
    onGiven({ credential: credential.trim(), keeping: kept ? 'tab' : 'memory' });
  };
  return (
    <main id="content" class="sign-in">
      <form class="card" onSubmit={submit}>
        <h1>Sign in</h1>
        {reason !== null && (
          <p class="note" role="status">
            {reason}
          </p>
        )}
        <label class="field">
          <span>API key or access token</span>
          <input
            type="password"
            name="credential"
            value={credential}
            onInput={({ currentTarget }) => setCredential(currentTarget.value)}
            autocomplete="off"
            spellcheck={false}
            required
          />
        </label>
        <label class="choice">
          <input
            type="checkbox"
            checked={kept}
            onChange={({ currentTarget }) => setKept(currentTarget.checked)}
          />
          <span>Stay signed in in this tab until it is closed, also over a reload</span>
        </label>
        {failure !== null && <SignInFailure failure={failure} />}
        <button type="submit" class="button primary" disabled={busy}>
          {busy ? 'Signing in…' : 'Sign in'}
        </button>
        <p class="muted">
          The key stays in this tab and goes to this API only. A portal link from your provider signs you in
          without one.
        </p>
      </form>
    </main>
  );
}

function SignInFailure({ failure }: { readonly failure: Failure }) {
  const text =
    failure.kind === 'offline'
      ? 'The API does not answer. Try again in a moment.'
      : (failure.detail ?? failure.title);
  return (
    <p class="note bad" role="alert">
      {text}
      {failure.kind === 'problem' && failure.page !== null && (
        <>
          {' '}
          <a href={failure.page} target="_blank" rel="noreferrer">
            What this means
          </a>
        </>
      )}
    </p>
  );
}
