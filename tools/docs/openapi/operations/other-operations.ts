import { credentialRecord } from '#shared/contract/records/credential.ts';
import { examples } from '../examples.ts';
import type { OperationDetails } from './operation-details.ts';

export const otherOperations = {
  getCredential: {
    tag: 'Credentials',
    description:
      'Reads who the credential of this request acts for, and when it ends. The console shows both. It is one request ' +
      'of the limit, like every other.',
    success: 'The caller.',
    response: credentialRecord,
    example: examples.credential,
  },
  getProblemPage: {
    tag: 'Documentation',
    description:
      'The page about a problem code, for people. The `type` of every problem document links to it.',
    success: 'The page, as HTML.',
    response: 'html',
  },
} as const satisfies Readonly<Record<string, OperationDetails>>;
