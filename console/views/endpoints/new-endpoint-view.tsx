import { faultOf, isOfFields } from '../../api/failure.ts';
import { attemptLimit } from '../../api/service-facts.ts';
import type { Draft, Registering } from '../../kept/kept.tsx';
import { FailureCard } from '../../parts/failure-card.tsx';
import { Page } from '../../parts/page.tsx';
import { TextField } from '../../parts/text-field.tsx';
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
      <TextField
        label="URL"
        value={draft.url}
        onText={(url) => onChange({ ...draft, url })}
        error={faultOf(failure, '/url')}
        input={{
          name: 'url',
          type: 'url',
          placeholder: 'https://hooks.example.com/runs',
          spellcheck: false,
          required: true,
        }}
      />
      <TextField
        label="Description (optional)"
        value={draft.description}
        onText={(description) => onChange({ ...draft, description })}
        error={faultOf(failure, '/description')}
        input={{ name: 'description' }}
      />
      {failure !== null && !isOfFields(failure, ['/url', '/description']) && (
        <FailureCard failure={failure} what="Could not register the endpoint" />
      )}
      {failure?.kind === 'problem' && failure.code === 'webhook_limit_exceeded' && (
        <p>
          <a href={hrefOf({ view: 'endpoints' })}>Choose the endpoint to delete</a>: what you have typed stays
          here.
        </p>
      )}
      <button type="submit" class="button primary" aria-disabled={busy}>
        {busy ? 'Sending the test event…' : 'Register'}
      </button>
      {busy && (
        <p class="muted">
          The endpoint has {attemptLimit / 1_000} seconds to answer. Keep this tab open: the secret is shown
          in it once.
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
