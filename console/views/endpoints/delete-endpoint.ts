import { type Api, resultOf } from '../../api/client.ts';
import { failureOf } from '../../api/failure.ts';

/** Deletes an endpoint, which another tab or a request whose response was lost may have done already. */
export async function deleteEndpoint(api: Api, id: string): Promise<void> {
  await resultOf(api.DELETE('/v1/webhooks/{id}', { params: { path: { id } } })).catch((thrown: unknown) => {
    const failure = failureOf(thrown);
    if (failure.kind === 'offline' || failure.status !== 404) throw thrown;
  });
}
