import type { ProblemDefinition, ProblemTexts } from './problem-entry.ts';

/** The codes of a credential that is missing, unknown or may not do what was asked. */
export const credentialProblems = {
  missing_authorization: {
    status: 401,
    title: 'Authorization is missing',
    remedy: 'Send the header `Authorization: Bearer key_…` with your API key or access token.',
  },
  invalid_key: {
    status: 401,
    title: 'API key is not recognised',
    remedy: 'Check that you sent the whole API key and that it was issued for this deployment.',
  },
  key_revoked: {
    status: 401,
    title: 'API key was revoked',
    remedy: 'Use another API key. A revoked key never works again.',
  },
  portal_link_ended: {
    status: 401,
    title: 'Portal link has ended',
    remedy: 'Ask for a new link where you got this one.',
  },
  invalid_token: {
    status: 401,
    title: 'Access token is not valid',
    remedy: 'Refresh the access token and retry once.',
  },
  connection_revoked: {
    status: 401,
    title: 'Connection was revoked',
    remedy: 'Ask the user to connect again. Retrying does not help.',
  },
  organization_not_selected: {
    status: 403,
    title: 'No organization is selected',
    remedy: 'Authorize the connection again and select an organization.',
  },
  organization_access_revoked: {
    status: 403,
    title: 'Access to the organization was revoked',
    remedy: 'Ask an administrator of the organization for access, or connect as another user.',
  },
  portal_link_read_only: {
    status: 403,
    title: 'Portal link can only read',
    remedy: 'Ask for a link that can make changes where you got this one, or use an API key.',
  },
} as const satisfies Record<string, ProblemDefinition>;

/** What else their pages say. No bundle of a function has it. */
export const credentialTexts: ProblemTexts<keyof typeof credentialProblems> = {
  missing_authorization: {
    meaning: 'The request has no bearer credential.',
    retry: 'Yes, with the header. The request did nothing and was not counted against a limit.',
    fix: 'The word `Bearer` and one space come before the key. Send exactly one `Authorization` header, and check that no proxy or redirect removes it.',
    see: ['first-event'],
  },
  invalid_key: {
    meaning: 'The bearer credential is not an API key of this service.',
    retry: 'No. The same key fails again.',
    fix: 'A key starts with `key_` and is easily cut off when copied. A key of a test deployment does not work in production. If the key is lost, ask the operator of the service for another one.',
    see: ['first-event'],
  },
  key_revoked: {
    meaning: 'The API key was revoked.',
    retry: 'No. A revoked key never works again.',
    fix: 'Replace it in every place that uses it. Ask the operator of the service for a key if you have none.',
  },
  portal_link_ended: {
    meaning: 'The credential of a portal link was sent after its end, or after it was revoked.',
    retry: 'No. A portal link never works again after its end.',
    fix: 'You can also sign in to the console with an API key. A program that needs lasting access uses an API key.',
  },
  invalid_token: {
    meaning: 'The access token is malformed, has expired, or was issued for another service.',
    retry: 'Yes, once, with a refreshed access token.',
    fix: 'If the new token fails too, check that it was issued for this service (its audience) and that it has not expired by the time it arrives.',
  },
  connection_revoked: {
    meaning:
      'The access token is valid, but its connection was revoked: the user withdrew consent, or the client was disabled.',
    retry: 'No. Refreshing the access token does not help either.',
    fix: 'Until then, stop sending requests for this connection.',
  },
  organization_not_selected: {
    meaning: 'The connection was authorized without an organization, so the request has no balance to act on.',
    retry: 'No. Every request of this connection fails in the same way.',
  },
  organization_access_revoked: {
    meaning: 'The user of this access token left the organization that the token acts for.',
    retry: 'No. Every request of this connection fails until the user has access again.',
  },
  portal_link_read_only: {
    meaning: 'The operation changes something, and the credential is that of a portal link that can only read.',
    retry:
      'No. The link can only read until it ends. The request changed nothing, and counts against the limit as every other.',
  },
};
