import { hashCredential, makePortalCredential } from '#shared/auth/checked-token.ts';
import { createPortalLinkRequest, presentPortalLink } from '#shared/contract/records/portal-link.ts';
import { createPortalLink } from '#shared/operations/operator/create-portal-link.ts';
import { setting } from '#shared/runtime/environment.ts';
import { customerNotFound } from '#shared/runtime/operator-call.ts';
import { now, randomBytes } from '#shared/runtime/system.ts';
import { report } from '#shared/runtime/telemetry.ts';
import { operatorOperation, table } from '../../wiring/operator-operation.ts';

const create = createPortalLink({
  table,
  now,
  randomBytes,
  makeCredential: makePortalCredential,
  hashCredential,
  baseUrl: setting('baseUrl'),
});

export const handler = operatorOperation(
  createPortalLinkRequest,
  async ({ customer_id: customerId, minutes, read_only: readOnly, to }) => {
    const created = await create(customerId, { minutes, readOnly, to });
    if (created === null) throw customerNotFound();
    const link = presentPortalLink(created.link);
    const { id: credentialId, expires_at: expiresAt } = link;
    report({ name: 'portal_link.created', customerId, credentialId, expiresAt });
    return { ...link, url: created.url };
  },
);
