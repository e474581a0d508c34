import { resultOf } from '../../api/client.ts';
import { failureOf } from '../../api/failure.ts';
import { type Draft, type Registering, useKept } from '../../kept/kept.tsx';
import { secretOfNew } from '../../kept/unstored.ts';
import { isOpen, replaceView } from '../../routing/use-route.ts';
import { accountOf } from '../../session/account.ts';
import { useSession } from '../../session/session.ts';

type Registration = {
  readonly form: Registering;
  readonly change: (draft: Draft) => void;
  /** Registers what is in the form. Its result is the view of the new endpoint, active or failed. */
  readonly register: () => Promise<void>;
};

/** The form of a registration. It goes on without its view, and is as the reader left it when they come back. */
export function useRegistration(): Registration {
  const { api, announce, caller } = useSession();
  const { registering, setRegistering, keepSecret, awaitSecret } = useKept();
  const ownerId = caller.customer_id;
  const empty = { ownerId, draft: { url: '', description: '' }, busy: false, failure: null };
  const form = registering?.ownerId === ownerId ? registering : empty;
  const register = async () => {
    const { draft } = form;
    setRegistering({ ...form, busy: true, failure: null });
    announce('Registering, and sending the test event');
    try {
      const { url, description } = draft;
      const body = { url: url.trim(), ...(description === '' ? {} : { description }) };
      const registration = await awaitSecret(resultOf(api.POST('/v1/webhooks', { body })));
      const unstored = secretOfNew(registration, accountOf(caller));
      if (unstored !== null) keepSecret(unstored);
      setRegistering(null);
      announce(
        unstored === null
          ? 'The endpoint did not acknowledge its test event'
          : 'The endpoint is active. Its signing secret is on its page',
      );
      // In place of the form, so that Back does not lead to an empty one.
      if (isOpen({ view: 'new-endpoint' }))
        replaceView({ view: 'endpoint', webhookId: registration.webhook.id });
    } catch (thrown) {
      setRegistering({ ...form, busy: false, failure: failureOf(thrown) });
    }
  };
  return {
    form,
    change: (draft) => setRegistering({ ...form, draft }),
    register,
  };
}
