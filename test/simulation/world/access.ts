import { authenticate } from '#shared/auth/authenticate.ts';
import { registerWebhook } from '#shared/operations/customer/register-webhook.ts';
import { createConnection } from '#shared/operations/operator/connections.ts';
import { createPortalLink } from '#shared/operations/operator/create-portal-link.ts';
import { deleteCustomer } from '#shared/operations/operator/delete-customer.ts';
import { type Acts, ask, begin, customerAt, picked, several } from './customers.ts';
import type { ApiCall, Closing, Credential } from './journal.ts';
import type { Ports } from './ports.ts';
import type { Act } from './script.ts';
import type { World } from './world.ts';

async function makeCredential(
  ports: Ports,
  { by, minutes }: Act<'give'>,
  customerId: string,
): Promise<Credential | null> {
  if (by === 'token') {
    const made = await createConnection(ports)('user', customerId);
    return made && { by, id: made.id, customerId, bearer: `header.${made.id}.signature`, endsAt: null };
  }
  const made = await createPortalLink(ports)(customerId, { minutes, readOnly: false });
  const [, bearer = ''] = made?.url.split('#token=') ?? [];
  return made && { by, id: made.link.id, customerId, bearer, endsAt: made.link.endsAt };
}

export const accessActs = {
  /** An operator lets somebody act for a customer: by a portal link, or by a connection whose tokens are accepted. */
  give: (world, act) => {
    const customerId = customerAt(act.customer);
    const call: ApiCall = { ...begin(world, customerId), do: 'give' };
    const make = (ports: Ports) => makeCredential(ports, act, customerId);
    ask(world, act.by === 'link' ? 'createLink' : 'operate', call, make, (made) => {
      if (made !== null) world.journal.credentials.push(made);
    });
  },

  revoke: (world, { pick, times }) => {
    const credential = picked(world.journal.credentials, pick);
    if (credential === undefined) return;
    const { customerId, id, by } = credential;
    several(world, { times }, () => {
      const call: ApiCall = { ...begin(world, customerId), do: 'revoke', id };
      ask(world, 'operate', call, async (ports) => {
        if (by === 'link') await ports.markPortalLinkRevoked(customerId, id, ports.now());
        else await ports.markConnectionRevoked(id, ports.now());
      });
    });
  },

  /** Somebody uses a credential, to look at something or to register an endpoint. */
  sign_in: (world, { pick, times, registers }) => {
    const credential = picked(world.journal.credentials, pick);
    if (credential === undefined) return;
    several(world, { times }, () => {
      const call: ApiCall = { ...begin(world, credential.customerId), do: 'sign_in', credential };
      const url = world.receivers.newUrl();
      ask(world, 'register', call, async (ports) => {
        const principal = await authenticate(ports)(`Bearer ${credential.bearer}`);
        if (registers) await registerWebhook(ports)(principal.customerId, { url, description: '' });
        return principal;
      });
    });
  },

  /** An operator deletes a customer with everything. */
  close: (world, { customer }) => {
    const customerId = customerAt(customer);
    if (world.journal.closings.has(customerId)) return;
    const closing = { beganAt: world.timeline.now, closedAt: Number.POSITIVE_INFINITY, isDone: false };
    world.journal.closings.set(customerId, closing);
    erase(world, customerId, closing);
  },
} satisfies Acts;

/** The operator runs a deletion that did not end once more. */
export function finishDeletions(world: World): void {
  for (const [customerId, closing] of world.journal.closings) {
    if (!closing.isDone) erase(world, customerId, closing);
  }
}

function erase(world: World, customerId: string, closing: Closing): void {
  const erasing = (ports: Ports) =>
    deleteCustomer({
      ...ports,
      closeCustomer: async (id) => {
        const removed = await ports.closeCustomer(id);
        closing.closedAt = Math.min(closing.closedAt, world.timeline.now);
        return removed;
      },
      onStep: () => {},
    })({ id: customerId });
  world.invoke('operate', erasing, ({ ok }) => {
    if (ok) closing.isDone = true;
  });
}
