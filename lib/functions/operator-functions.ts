import type { FunctionFolder } from '#shared/contract/functions.ts';
import { tableSchema } from '#shared/contract/table-schema.ts';
import { type FunctionSettings, request } from './function-settings.ts';
import { items, onlyAttributes, operatorAnswersKey } from './grants.ts';

/**
 * The attributes that a function puts, in all rows of its transaction: one statement has to allow them together. Beside
 * endpoints, the row of a customer or of a key in its list can thus hold nothing else.
 */
const put = {
  customer: ['id', 'name', 'public_name', 'reference', 'metadata', 'created_at', 'customer_id'],
  apiKey: [
    ...['id', 'customer_id', 'hash', 'prefix', 'created_at'],
    ...['fingerprint', 'begun_at', 'token', 'lease_until', 'is_free', 'answer', tableSchema.expiresAt],
  ],
} as const;

/** Invoked by the operator's own programs, and by nothing else: they have no route and no trigger. */
export const operatorFunctions = {
  'operator/create-customer': {
    ...request,
    environment: ['tableName'],
    grants: [
      items(['customerReference', 'customer'], 'GetItem'),
      onlyAttributes(put.customer, items(['customer', 'customerList', 'customerReference'], 'PutItem')),
    ],
  },
  'operator/list-customers': {
    ...request,
    environment: ['tableName'],
    grants: [items(['customerList'], 'Query'), items(['customerReference', 'customer'], 'GetItem')],
  },
  'operator/create-api-key': {
    ...request,
    environment: ['tableName', 'secretsKeyArn'],
    grants: [
      items(['customer'], 'ConditionCheckItem'),
      onlyAttributes(put.apiKey, items(['customer', 'apiKey', 'request'], 'PutItem')),
      items(['request'], 'GetItem'),
      operatorAnswersKey('Encrypt', 'Decrypt'),
    ],
  },
  'operator/list-api-keys': {
    ...request,
    environment: ['tableName'],
    grants: [items(['customer'], 'GetItem', 'Query')],
  },
  'operator/revoke-api-key': {
    ...request,
    environment: ['tableName'],
    grants: [
      items(['customer'], 'GetItem'),
      onlyAttributes(['revoked_at'], items(['customer', 'apiKey'], 'UpdateItem')),
    ],
  },
  'operator/create-portal-link': {
    ...request,
    environment: ['tableName', 'baseUrl'],
    grants: [items(['customer'], 'GetItem'), items(['portalLink'], 'PutItem')],
  },
} as const satisfies Partial<Record<FunctionFolder, FunctionSettings>>;
