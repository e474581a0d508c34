import {
  type ApiAccess,
  type ApiClient,
  ApiProblem,
  connectApi,
  resultOf,
} from '../../../packages/api-client/client.ts';
import { endpointMark, findLeftOvers } from './endpoint-mark.ts';
import { deleteEndpoint, listEndpoints, type Registered, type Webhook } from './endpoints.ts';
import { type OpenReceiver, openReceiver, type Place } from './open-receiver.ts';
import { type ReceivedDelivery, receiveDeliveries } from './receive-deliveries.ts';

export type ListenOptions = {
  readonly access: ApiAccess;
  readonly place: Place;
  /** Marks the endpoints of this folder, 12 hexadecimal digits. */
  readonly folderId: string;
  /** Address of one's own server. Default: none; deliveries are only shown. */
  readonly forward?: URL | undefined;
  /** Whether the test event of the registration is forwarded too. */
  readonly forwardHandshake: boolean;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Called with each endpoint of a killed program, after it was deleted. */
  readonly onLeftOver: (webhook: Webhook) => void;
  /** Called once, before the first delivery. */
  readonly onReady: (ready: Ready) => void;
  readonly onDelivery: (delivery: ReceivedDelivery) => void;
};

export type Ready = { readonly webhookId: string; readonly url: string; readonly secret: string };

export type Listening = Ready & {
  /** Whether the endpoint still receives events, and the key still reaches it, as the API says. */
  readonly isActive: () => Promise<boolean>;
  /**
   * Deletes the endpoint, then stops to listen.
   *
   * @throws Error when the endpoint could not be deleted
   */
  readonly close: () => Promise<void>;
};

/** Milliseconds for responses in flight when the program ends. */
const drainMs = 1_000;

/**
 * Opens a receiver and registers it.
 *
 * @throws Error with the reason when the registration is refused or its test event failed; nothing is left behind
 */
export async function startListening(options: ListenOptions): Promise<Listening> {
  const api = connectApi(options.access);
  const secret = Promise.withResolvers<string>();
  // Without a request that waits for it, nobody would handle its rejection.
  secret.promise.catch(() => undefined);
  let isRegistered = false;
  const { forward, forwardHandshake, onDelivery, now } = options;
  const receiver = await openReceiver(
    options.place,
    receiveDeliveries({
      secret: secret.promise,
      isRegistered: () => isRegistered,
      forward,
      forwardHandshake,
      onDelivery,
      now,
    }),
  );
  try {
    await removeLeftOvers(api, receiver, options);
    const registered = await register(api, receiver, options.folderId);
    isRegistered = true;
    const ready = { webhookId: registered.webhook.id, url: receiver.url, secret: registered.secret };
    options.onReady(ready);
    secret.resolve(ready.secret);
    return { ...ready, ...handleOf(api, receiver, ready.webhookId) };
  } catch (error) {
    secret.reject(error);
    await receiver.close(drainMs);
    throw error;
  }
}

function handleOf(api: ApiClient, receiver: OpenReceiver, id: string): Pick<Listening, 'isActive' | 'close'> {
  return {
    isActive: async () => {
      try {
        const webhook = await resultOf(api.GET('/v1/webhooks/{id}', { params: { path: { id } } }));
        return webhook.status === 'active';
      } catch (error) {
        // A stack that was started again without its data does not know the key either.
        if (error instanceof ApiProblem && [401, 404].includes(error.status)) return false;
        throw error;
      }
    },
    close: async () => {
      try {
        await deleteEndpoint(api, id);
      } catch (cause) {
        const reason = cause instanceof Error ? cause.message : String(cause);
        throw new Error(`Cannot delete endpoint ${id}: ${reason}. The next run in this folder deletes it`);
      } finally {
        await receiver.close(drainMs);
      }
    },
  };
}

async function removeLeftOvers(
  api: ApiClient,
  { port }: OpenReceiver,
  { folderId, onLeftOver }: ListenOptions,
): Promise<void> {
  for (const webhook of await findLeftOvers(await listEndpoints(api), folderId, port)) {
    await deleteEndpoint(api, webhook.id);
    onLeftOver(webhook);
  }
}

async function register(api: ApiClient, { url, port }: OpenReceiver, folderId: string): Promise<Registered> {
  const body = { url, description: endpointMark(folderId, port) };
  const registered = await resultOf(api.POST('/v1/webhooks', { body })).catch(explainFull(api));
  if (registered.webhook.status === 'active') return registered;
  await deleteEndpoint(api, registered.webhook.id);
  const { error, response_status } = registered.test_delivery;
  const reason = error ?? `The receiver responded with status ${response_status ?? 'none'}`;
  throw new Error(
    `The service could not deliver the test event to ${url}: ${reason}. The endpoint was deleted again`,
  );
}

function explainFull(api: ApiClient): (error: unknown) => Promise<never> {
  return async (error) => {
    if (!(error instanceof ApiProblem) || error.code !== 'webhook_limit_exceeded') throw error;
    const urls = (await listEndpoints(api)).map(({ id, url }) => `${id} ${url}`);
    throw new Error(`${error.message}. Delete one of: ${urls.join(', ')}`, { cause: error });
  };
}
