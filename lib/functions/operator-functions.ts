import type { FunctionFolder } from '#shared/contract/functions.ts';
import { type FunctionSettings, request } from './function-settings.ts';
import { answersKey, items, onlyAttributes } from './grants.ts';

/** The attributes of both rows of an API key. Beside endpoints, the row of the list can thus hold nothing else. */
const keyAttributes = ['id', 'customer_id', 'hash', 'prefix', 'created_at'];

/** Invoked by the operator's own programs, and by nothing else: they have no route and no trigger. */
export const operatorFunctions = {
  'operator/create-customer': {
    ...request,
    environment: ['tableName'],
    grants: [
      items(['customerReference', 'customer'], 'GetItem'),
      items(['customerReference', 'customerList'], 'PutItem'),
      onlyAttributes(
        ['id', 'name', 'public_name', 'reference', 'metadata', 'created_at'],
        items(['customer'], 'PutItem'),
      ),
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
      onlyAttributes(keyAttributes, items(['customer', 'apiKey'], 'PutItem')),
      items(['request'], 'GetItem', 'PutItem'),
      answersKey('Encrypt', 'Decrypt'),
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
