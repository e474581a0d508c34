import { resultOf } from '../../api/client.ts';
import type { BulkReplayRequest } from '../../api/records.ts';
import { openLater } from '../../routing/use-route.ts';
import { useSession } from '../../session/session.ts';

/** Starts a bulk replay to an endpoint, and shows its progress. */
export function useStartReplay(webhookId: string): (body: BulkReplayRequest) => Promise<void> {
  const { api, announce } = useSession();
  const params = { path: { id: webhookId } };
  return async (body) => {
    const open = openLater();
    const { id } = await resultOf(api.POST('/v1/webhooks/{id}/replays', { params, body }));
    announce('Resending has begun');
    open({ view: 'replay', webhookId, replayId: id });
  };
}
