import * as z from 'zod/mini';
import { timestampOrNull } from '#shared/contract/timestamp.ts';
import { idPrefixes } from '#shared/domain/ids.ts';

export const credentialKinds = ['api_key', 'access_token', 'portal_link'] as const;

/** Who a credential acts for, and until when. */
export const credentialRecord = z.object({
  id: z.string(),
  kind: z.enum(credentialKinds),
  customer_id: z.string(),
  customer_name: z.nullable(z.string()),
  expires_at: z.nullable(z.iso.datetime()),
  read_only: z.boolean(),
});

type Caller = {
  readonly credentialId: string;
  readonly customerId: string;
  /** Its public name; empty when it has none. The operator's name for it is not for its eyes. */
  readonly publicName: string;
  /** Epoch milliseconds; `null` when the credential names no end. */
  readonly endsAt: number | null;
  readonly readOnly: boolean;
};

export function presentCredential(caller: Caller): z.infer<typeof credentialRecord> {
  return {
    id: caller.credentialId,
    kind: kindOf(caller.credentialId),
    customer_id: caller.customerId,
    customer_name: caller.publicName === '' ? null : caller.publicName,
    expires_at: timestampOrNull(caller.endsAt),
    read_only: caller.readOnly,
  };
}

/** The id of a credential begins with the prefix of its kind. */
function kindOf(credentialId: string): (typeof credentialKinds)[number] {
  if (credentialId.startsWith(idPrefixes.portalLink)) return 'portal_link';
  return credentialId.startsWith(idPrefixes.connection) ? 'access_token' : 'api_key';
}
