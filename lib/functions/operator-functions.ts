import type { FunctionFolder } from '#shared/contract/functions.ts';
import { tableSchema } from '#shared/contract/table-schema.ts';
import { type EnvironmentKey, type FunctionSettings, request } from './function-settings.ts';
import { type Grant, items, onlyAttributes, operatorAnswersKey } from './grants.ts';

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

/** A function that answers the operator's own programs, and nothing else: it has no route and no trigger. */
const invoked = (grants: readonly Grant[], ...environment: readonly EnvironmentKey[]): FunctionSettings => ({
  ...request,
  environment: ['tableName', ...environment],
  grants,
});

export const operatorFunctions = {
  'operator/create-customer': invoked([
    items(['customerReference', 'customer'], 'GetItem'),
    onlyAttributes(put.customer, items(['customer', 'customerList', 'customerReference'], 'PutItem')),
  ]),
  'operator/list-customers': invoked([
    items(['customerList'], 'Query'),
    items(['customerReference', 'customer'], 'GetItem'),
  ]),
  'operator/create-api-key': invoked(
    [
      items(['customer'], 'ConditionCheckItem'),
      onlyAttributes(put.apiKey, items(['customer', 'apiKey', 'request'], 'PutItem')),
      items(['request'], 'GetItem'),
      operatorAnswersKey('Encrypt', 'Decrypt'),
    ],
    'secretsKeyArn',
  ),
  'operator/list-api-keys': invoked([items(['customer'], 'GetItem', 'Query')]),
  'operator/revoke-api-key': invoked([
    items(['customer'], 'GetItem'),
    onlyAttributes(['revoked_at'], items(['customer', 'apiKey'], 'UpdateItem')),
  ]),
  'operator/create-portal-link': invoked([items(['customer'], 'GetItem'), items(['portalLink'], 'PutItem')], 'baseUrl'),
} satisfies Partial<Record<FunctionFolder, FunctionSettings>>;
