import { setTimeout as sleep } from 'node:timers/promises';
import {
  type ApiAccess,
  type ApiClient,
  ApiProblem,
  connectApi,
  resultOf,
} from '../../../packages/api-client/client.ts';
import { messageOf } from '../../operator/cli/run-program.ts';
import { deleteEndpoint, endpointMark, findLeftOvers, listEndpoints, type Webhook } from './endpoints.ts';
import { type OpenReceiver, openReceiver, type Place } from './open-receiver.ts';
import { type ReceiveOptions, receiveDeliveries } from './receive-deliveries.ts';

export type ListenOptions = Omit<ReceiveOptions, 'secret'> & {
  readonly access: ApiAccess;
  readonly place: Place;
  /** Marks the endpoints of this folder, 12 hexadecimal digits. */
  readonly folderId: string;
  /** Called with each endpoint of a killed program, after it was deleted. */
  readonly onLeftOver: (webhook: Webhook) => void;
  /** Called once, before the first delivery. When it throws, the endpoint is deleted again. */
  readonly onReady: (ready: Ready) => void;
};

export type Ready = { readonly webhookId: string; readonly url: string; readonly secret: string };

export type Listening = Ready & {
  /** Whether the endpoint still receives events, and the key still reaches it, as the API says. */
  readonly isActive: (signal: AbortSignal) => Promise<boolean>;
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
  const listener = receiveDeliveries({ ...options, secret: secret.promise });
  const receiver = await openReceiver(options.place, listener);
  try {
    await removeLeftOvers(api, receiver, options);
    const registered = await register(api, receiver, options.folderId);
    const ready = { webhookId: registered.webhook.id, url: receiver.url, secret: registered.secret };
    try {
      options.onReady(ready);
    } catch (error) {
      await deleteEndpoint(api, ready.webhookId);
      throw error;
    }
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
    isActive: async (signal) => {
      try {
        const webhook = await resultOf(api.GET('/v1/webhooks/{id}', { params: { path: { id } }, signal }));
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
        throw new Error(`Cannot delete endpoint ${id}: ${messageOf(cause)}. The next run in this folder deletes it`);
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

async function register(api: ApiClient, { url, port }: OpenReceiver, folderId: string) {
  const body = { url, description: endpointMark(folderId, port) };
  const registered = await resultOf(api.POST('/v1/webhooks', { body })).catch(explainFull(api));
  if (registered.webhook.status === 'active') return registered;
  await deleteEndpoint(api, registered.webhook.id);
  const { error, response_status } = registered.test_delivery;
  const reason = error ?? `The receiver responded with status ${response_status ?? 'none'}`;
  throw new Error(`The service could not deliver the test event to ${url}: ${reason}. The endpoint was deleted again`);
}

function explainFull(api: ApiClient): (error: unknown) => Promise<never> {
  return async (error) => {
    if (!(error instanceof ApiProblem) || error.code !== 'webhook_limit_exceeded') throw error;
    const urls = (await listEndpoints(api)).map(({ id, url }) => `${id} ${url}`);
    throw new Error(`${error.message}. Delete one of: ${urls.join(', ')}`, { cause: error });
  };
}

/** Milliseconds between two looks: rarely enough for the request limit of the key. */
const watchEveryMs = 20_000;

/**
 * Waits until the endpoint receives no more events: someone deleted it, or a stack without kept data was started again.
 * Without this watch, the program would wait for events that cannot come.
 *
 * @param signal ends the watch
 * @param onSilence called when the API stops to respond, and again after it has responded in between
 * @returns false when the signal ended the watch
 */
export async function endpointGone(
  listening: Listening,
  signal: AbortSignal,
  onSilence: (reason: string) => void,
  everyMs = watchEveryMs,
): Promise<boolean> {
  let responded = true;
  while (await sleep(everyMs, true, { signal }).catch(() => false)) {
    try {
      if (!(await listening.isActive(signal))) return !signal.aborted;
      responded = true;
    } catch (error) {
      if (responded && !signal.aborted) onSilence(messageOf(error));
      responded = false;
    }
  }
  return false;
}
