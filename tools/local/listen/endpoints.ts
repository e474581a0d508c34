import {
  type ApiClient,
  ApiProblem,
  done,
  resultOf,
  type Schemas,
} from '../../../packages/api-client/client.ts';

export type Webhook = Schemas['Webhook'];
export type Registered = Schemas['WebhookRegistration'];

/** All endpoints of a customer: a page holds more than a customer may have. */
export async function listEndpoints(api: ApiClient): Promise<readonly Webhook[]> {
  return (await resultOf(api.GET('/v1/webhooks'))).items;
}

/** Deletes an endpoint; one that does not exist any more is no failure. */
export async function deleteEndpoint(api: ApiClient, id: string): Promise<void> {
  await done(api.DELETE('/v1/webhooks/{id}', { params: { path: { id } } })).catch((error: unknown) => {
    if (!(error instanceof ApiProblem) || error.status !== 404) throw error;
  });
}
