import { resultOf } from '../../api/client.ts';
import { ActionButton } from '../../parts/actions.tsx';
import { useSession } from '../../session/session.ts';

type Props = {
  readonly deliveryId: string;
  readonly onBegun: () => Promise<void>;
};

/** Milliseconds in which a receiver on the same machine has usually answered. */
const moment = 1_000;

/** Ends the wait for the next attempt. Nothing on a deployed stage, which keeps its times. */
export function AttemptNow({ deliveryId, onBegun }: Props) {
  const { api, announce, caller } = useSession();
  if (!api.isLocal() || caller.read_only) return null;
  const begin = async () => {
    await resultOf(api.attemptNow(deliveryId));
    await new Promise((resolve) => setTimeout(resolve, moment));
    await onBegun();
    announce('The attempt has begun');
  };
  return (
    <div class="at-once">
      <ActionButton label="Attempt now" failed="Could not make the attempt now" act={begin} />
      <p class="muted small">
        Only on the local stack. <code>npm start -- --time-scale 600</code> shortens every wait.
      </p>
    </div>
  );
}
