import { credentialRecord } from '#shared/contract/records/credential.ts';
import { described, id, time } from '../described.ts';

export const credentialSchemas = {
  Credential: described(credentialRecord, 'Who a credential acts for, and until when.', {
    id: 'The id of the credential, which the activity of an endpoint names. It is not secret.',
    kind: 'How the request was authenticated.',
    customer_id: id('customer', 'The customer that every request with this credential acts for.'),
    customer_name: 'The public name of the customer, which the operator gave it. `null` when there is none.',
    expires_at: time('When a portal link ends. `null` for other credentials: an API key works until it is revoked.'),
    read_only:
      'Whether the credential may only read: every operation that changes something answers `portal_link_read_only`. Only a portal link can be so.',
  }),
};
