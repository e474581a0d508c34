import { useState } from 'preact/hooks';
import { resultOf } from '../../api/client.ts';
import { type Failure, failureOf } from '../../api/failure.ts';
import type { Registration } from '../../api/records.ts';
import { FailureCard } from '../../parts/failure-card.tsx';
import { Page } from '../../parts/page.tsx';
import { hrefOf } from '../../routing/route.ts';
import { useSession } from '../../session/session.ts';
import { Registered } from './registered.tsx';

type State =
  | { readonly step: 'form'; readonly failure: Failure | null }
  | { readonly step: 'handshake' }
  | { readonly step: 'done'; readonly registration: Registration };

type Given = { readonly url: string; readonly description: string };

/** Registers an endpoint and shows its handshake as it happens. */
export function NewEndpointView() {
  const { api, announce } = useSession();
  const [state, setState] = useState<State>({ step: 'form', failure: null });
  // Kept here, so that the values are still there after a failed handshake.
  const [given, setGiven] = useState<Given>({ url: '', description: '' });
  const register = async () => {
    setState({ step: 'handshake' });
    announce('Registering, and sending the test event');
    try {
      const { url, description } = given;
      const body = { url: url.trim(), ...(description === '' ? {} : { description }) };
      const registration = await resultOf(api.POST('/v1/webhooks', { body }));
      announce(`The endpoint is ${registration.webhook.status}`);
      setState({ step: 'done', registration });
    } catch (thrown) {
      setState({ step: 'form', failure: failureOf(thrown) });
    }
  };
  return (
    <Page title="Register an endpoint" up={{ href: hrefOf({ view: 'endpoints' }), label: 'Endpoints' }}>
      {state.step === 'done' ? (
        <Registered
          registration={state.registration}
          onAgain={() => setState({ step: 'form', failure: null })}
        />
      ) : (
        <Form state={state} given={given} onGiven={setGiven} onSubmit={() => void register()} />
      )}
    </Page>
  );
}

type FormProps = {
  readonly state: Exclude<State, { step: 'done' }>;
  readonly given: Given;
  readonly onGiven: (given: Given) => void;
  readonly onSubmit: () => void;
};

function Form({ state, given, onGiven, onSubmit }: FormProps) {
  const submit = (event: Event) => {
    event.preventDefault();
    if (state.step === 'form') onSubmit();
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
          value={given.url}
          onInput={({ currentTarget }) => onGiven({ ...given, url: currentTarget.value })}
          autocomplete="off"
          spellcheck={false}
          required
        />
      </label>
      <label class="field">
        <span>Description (optional)</span>
        <input
          name="description"
          value={given.description}
          onInput={({ currentTarget }) => onGiven({ ...given, description: currentTarget.value })}
          autocomplete="off"
        />
      </label>
      {state.step === 'form' && state.failure !== null && (
        <FailureCard failure={state.failure} what="Could not register the endpoint" />
      )}
      <button type="submit" class="button primary" aria-disabled={state.step === 'handshake'}>
        {state.step === 'handshake' ? 'Sending the test event…' : 'Register'}
      </button>
      {state.step === 'handshake' && (
        <p class="muted">
          The endpoint has ten seconds to answer. Stay on this page: the secret is shown here once.
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
