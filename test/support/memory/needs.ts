import type { authenticateLink } from '#shared/auth/authenticate.ts';
import type { deleteWebhook } from '#shared/operations/customer/delete-webhook.ts';
import type { OnceDeps } from '#shared/operations/customer/do-once.ts';
import type { listWebhooks } from '#shared/operations/customer/read-webhooks.ts';
import type { registerWebhook } from '#shared/operations/customer/register-webhook.ts';
import type { rotateSecret } from '#shared/operations/customer/rotate-secret.ts';
import type { AttemptDeps } from '#shared/operations/delivery/attempt-endpoint.ts';
import type { AuditPorts } from '#shared/operations/delivery/audit-deliveries.ts';
import type { sweepWaiting } from '#shared/operations/delivery/sweep-waiting.ts';
import type { acceptIntake } from '#shared/operations/intake/accept-intake.ts';
import type {
  createConnection,
  MarkConnectionRevoked,
  selectOrganization,
} from '#shared/operations/operator/connections.ts';
import type {
  createPortalLink,
  MarkPortalLinkRevoked,
} from '#shared/operations/operator/create-portal-link.ts';
import type { deleteCustomer } from '#shared/operations/operator/delete-customer.ts';
import type { spreadDeliveries } from '#shared/operations/operator/spread-deliveries.ts';
import type { cancelBulkReplay } from '#shared/operations/replays/cancel-bulk-replay.ts';
import type { listBulkReplays } from '#shared/operations/replays/list-bulk-replays.ts';
import type { ReadBulkReplay } from '#shared/operations/replays/ports.ts';
import type { runReplayStep } from '#shared/operations/replays/run-replay-step.ts';
import type { startBulkReplay } from '#shared/operations/replays/start-bulk-replay.ts';

type DepsOf<O extends (deps: never) => unknown> = Parameters<O>[0];

/** What operations need, most of it of the table. */
export type TableNeeds = DepsOf<typeof listWebhooks> &
  AttemptDeps &
  AuditPorts &
  DepsOf<typeof acceptIntake> &
  DepsOf<typeof sweepWaiting> &
  DepsOf<typeof registerWebhook> &
  DepsOf<typeof deleteWebhook> &
  DepsOf<typeof rotateSecret> &
  DepsOf<typeof startBulkReplay> &
  OnceDeps &
  DepsOf<typeof runReplayStep> &
  DepsOf<typeof cancelBulkReplay> &
  DepsOf<typeof listBulkReplays> &
  DepsOf<typeof spreadDeliveries> &
  DepsOf<typeof authenticateLink> &
  DepsOf<typeof createPortalLink> &
  DepsOf<typeof createConnection> &
  DepsOf<typeof selectOrganization> &
  DepsOf<typeof deleteCustomer> & {
    readonly readBulkReplay: ReadBulkReplay;
    readonly markPortalLinkRevoked: MarkPortalLinkRevoked;
    readonly markConnectionRevoked: MarkConnectionRevoked;
  };
