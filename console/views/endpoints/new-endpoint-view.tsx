import { resultOf } from '../../api/client.ts';
import { failureOf, faultOf, isOfFields } from '../../api/failure.ts';
import { accountOf } from '../../api/records.ts';
import { attemptLimit } from '../../api/service-facts.ts';
import { type Registering, useKept } from '../../kept/kept.tsx';
import { TextField } from '../../parts/fields.tsx';
import { Page } from '../../parts/page.tsx';
import { FailureCard } from '../../parts/states.tsx';
import { hrefOf } from '../../routing/route.ts';
import { isOpen, replaceView } from '../../routing/use-route.ts';
import { useSession } from '../../session/session.ts';

/** Registers an endpoint and shows its handshake as it happens. */
export function NewEndpointView() {
  const { form, change, register } = useRegistration();
  const submit = (event: Event) => {
    event.preventDefault();
    if (!form.busy) void register();
  };
  return (
    <Page title="Register an endpoint" up={{ to: { view: 'endpoints' }, label: 'Endpoints' }}>
      <form class="card" onSubmit={submit}>
        <div class="note">
          <p>
            <strong>The endpoint has to answer a test event first.</strong> Registering sends a{' '}
            <code>webhook.test</code> to the URL and waits for its response. Answer it with 2xx,{' '}
            <em>without verifying its signature</em>: the secret comes with the result of the registration.
          </p>
        </div>
        <Fields form={form} onChange={change} />
        <Refusal form={form} />
        <button type="submit" class="button primary" aria-disabled={form.busy}>
          {form.busy ? 'Sending the test event…' : 'Register'}
        </button>
        {form.busy && (
          <p class="muted">
            The endpoint has {attemptLimit / 1_000} seconds to answer. Keep this tab open: the secret is shown in it
            once.
          </p>
        )}
      </form>
    </Page>
  );
}

type Change = (changed: Partial<Pick<Registering, 'url' | 'description'>>) => void;

/** The form of a registration. It goes on without its view, and is as the reader left it when they come back. */
function useRegistration() {
  const { api, announce, caller } = useSession();
  const { registering, setRegistering, keepSecret, awaitSecret } = useKept();
  const ownerId = caller.customer_id;
  const empty: Registering = { ownerId, url: '', description: '', busy: false, failure: null };
  const form = registering?.ownerId === ownerId ? registering : empty;
  const change: Change = (changed) => setRegistering({ ...form, ...changed });
  /** The result is the view of the new endpoint, active or failed. A failed one never signs anything. */
  const register = async () => {
    setRegistering({ ...form, busy: true, failure: null });
    announce('Registering, and sending the test event');
    try {
      const { description } = form;
      const body = { url: form.url.trim(), ...(description === '' ? {} : { description }) };
      const registration = await awaitSecret(resultOf(api.POST('/v1/webhooks', { body })));
      const { webhook, secret, test_delivery: handshake } = registration;
      const { id: webhookId, url, status } = webhook;
      if (status === 'active') keepSecret({ webhookId, url, secret, owner: accountOf(caller), handshake });
      setRegistering(null);
      announce(
        status === 'active'
          ? 'The endpoint is active. Its signing secret is on its page'
          : 'The endpoint did not acknowledge its test event',
      );
      // In place of the form, so that Back does not lead to an empty one.
      if (isOpen({ view: 'new-endpoint' })) replaceView({ view: 'endpoint', webhookId });
    } catch (thrown) {
      setRegistering({ ...form, busy: false, failure: failureOf(thrown) });
    }
  };
  return { form, change, register };
}

function Fields({ form, onChange }: { readonly form: Registering; readonly onChange: Change }) {
  const placeholder = 'https://hooks.example.com/runs';
  return (
    <>
      <TextField
        label="URL"
        value={form.url}
        onText={(url) => onChange({ url })}
        error={faultOf(form.failure, '/url')}
        input={{ name: 'url', type: 'url', placeholder, spellcheck: false, required: true, readOnly: form.busy }}
      />
      <TextField
        label="Description (optional)"
        value={form.description}
        onText={(description) => onChange({ description })}
        error={faultOf(form.failure, '/description')}
        input={{ name: 'description', readOnly: form.busy }}
      />
    </>
  );
}

/** Why the last try was refused, unless the fields say it. */
function Refusal({ form: { failure } }: { readonly form: Registering }) {
  if (failure === null || isOfFields(failure, ['/url', '/description'])) return null;
  return (
    <>
      <FailureCard failure={failure} what="Could not register the endpoint" />
      {failure.kind === 'problem' && failure.code === 'webhook_limit_exceeded' && (
        <p>
          <a href={hrefOf({ view: 'endpoints' })}>Choose the endpoint to delete</a>: what you have typed stays here.
        </p>
      )}
    </>
  );
}
