import type { Draft, Registering } from '../../kept/kept.tsx';
import { FailureCard } from '../../parts/failure-card.tsx';
import { Page } from '../../parts/page.tsx';
import { hrefOf } from '../../routing/route.ts';
import { useRegistration } from './use-registration.ts';

/** Registers an endpoint and shows its handshake as it happens. */
export function NewEndpointView() {
  const { form, change, register } = useRegistration();
  return (
    <Page title="Register an endpoint" up={{ href: hrefOf({ view: 'endpoints' }), label: 'Endpoints' }}>
      <Form form={form} onChange={change} onSubmit={() => void register()} />
    </Page>
  );
}

type FormProps = {
  readonly form: Registering;
  readonly onChange: (draft: Draft) => void;
  readonly onSubmit: () => void;
};

function Form({ form: { draft, busy, failure }, onChange, onSubmit }: FormProps) {
  const submit = (event: Event) => {
    event.preventDefault();
    if (!busy) onSubmit();
  };
  return (
    <form class="card" onSubmit={submit}>
      <HandshakeNote />
      <label class="field">
        <span>URL</span>
        <input
          name="url"
          type="url"
          placeholder="https://hooks.example.com/runs"
          value={draft.url}
          onInput={({ currentTarget }) => onChange({ ...draft, url: currentTarget.value })}
          autocomplete="off"
          spellcheck={false}
          required
        />
      </label>
      <label class="field">
        <span>Description (optional)</span>
        <input
          name="description"
          value={draft.description}
          onInput={({ currentTarget }) => onChange({ ...draft, description: currentTarget.value })}
          autocomplete="off"
        />
      </label>
      {failure !== null && <FailureCard failure={failure} what="Could not register the endpoint" />}
      <button type="submit" class="button primary" aria-disabled={busy}>
        {busy ? 'Sending the test event…' : 'Register'}
      </button>
      {busy && (
        <p class="muted">
          The endpoint has ten seconds to answer. Keep this tab open: the secret is shown in it once.
        </p>
      )}
    </form>
  );
}

function HandshakeNote() {
  return (
    <div class="note">
      <p>
        <strong>The endpoint has to answer a test event first.</strong> Registering sends a{' '}
        <code>webhook.test</code> to the URL and waits for its response. Answer it with 2xx,{' '}
        <em>without verifying its signature</em>: the secret comes with the result of the registration.
      </p>
    </div>
  );
}
