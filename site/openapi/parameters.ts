import { limits } from '#shared/contract/limits.ts';
import { defaultPlatforms } from '#shared/contract/platforms.ts';
import { handleLength } from '#shared/domain/creator.ts';
import { engineIdLength, type IdKind, idPrefixes, ownIdLength } from '#shared/domain/ids.ts';
import { jsonSchemaOf } from './component-schemas.ts';
import { video } from './examples.ts';
import { type JsonObject, jsonOf, schemaPath } from './json.ts';
import type { OperationDetails } from './operations/operation-details.ts';
import { ids } from './story.ts';

/** @param what what has the id */
const idParameter = (kind: IdKind, example: string, what: string): JsonObject => ({
  description: `The id of the ${what}.`,
  schema: { type: 'string', pattern: `^${idPrefixes[kind]}`, maxLength: engineIdLength },
  example,
});

/** By the path up to the parameter's end. */
const pathTexts: Readonly<Record<string, JsonObject>> = {
  '/v1/webhooks/{id}': idParameter('webhook', ids.webhook, 'endpoint'),
  '/v1/webhooks/{id}/deliveries/{deliveryId}': idParameter('delivery', ids.delivery, 'delivery'),
  '/v1/webhooks/{id}/replays/{replayId}': idParameter('bulkReplay', ids.bulkReplay, 'bulk replay'),
  '/v1/runs/{id}': idParameter('run', ids.run, 'Run'),
  '/v1/trackers/{id}': idParameter('tracker', ids.tracker, 'Tracker'),
  '/v1/creators/{platform}': {
    description: `The platform of the creator: ${defaultPlatforms.map((name) => `\`${name}\``).join(', ')}.`,
    schema: { $ref: schemaPath('Platform') },
    example: video.platform,
  },
  '/v1/creators/{platform}/{handle}': {
    description: 'The handle of the creator, with or without `@`, in upper or lower case.',
    schema: { type: 'string', minLength: 1, maxLength: handleLength },
    example: video.creator.handle,
  },
  '/docs/errors/{code}': {
    description: 'The problem code.',
    schema: { $ref: schemaPath('ProblemCode') },
    example: 'not_found',
  },
};

export function pathParameters(path: string): readonly JsonObject[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(({ 0: text, 1: name = '', index }) => {
    const upToEnd = path.slice(0, index + text.length);
    const known = pathTexts[upToEnd];
    if (known === undefined) throw new Error(`Cannot describe ${upToEnd}: give it a text and an example`);
    return { name, in: 'path', required: true, ...known };
  });
}

/** So that a request whose answer is lost can be sent again without doing anything twice. */
export const keyParameter: JsonObject = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Names this request for 24 hours. Send the same request with the same key again when its answer is lost: you get ' +
    'the answer of the first one, with `Idempotency-Replayed: true`, and nothing is done twice.',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
  example: 'b6a1f6c2-4a55-4b0e-9d2a-0f4e6a1c8d37',
};

/** A query parameter arrives as text, so `schema`, the form of the value, may say more than its schema. */
type QueryText = string | { readonly description: string; readonly schema: JsonObject };

const timeParameter = (description: string): QueryText => ({
  description: `${description} ISO 8601 with a zone; write the \`+\` of an offset as \`%2B\`.`,
  schema: { type: 'string', format: 'date-time' },
});

const queryTexts: Readonly<Record<string, QueryText>> = {
  limit: {
    description: 'The maximum number of records on the page. A value outside the range is an error.',
    schema: { type: 'integer', minimum: 1, maximum: limits.pageSizeMax, default: limits.pageSizeDefault },
  },
  cursor: {
    description: 'The `next_cursor` of the previous page of the same list with the same filters.',
    schema: { type: 'string', minLength: 1, maxLength: limits.cursorLength, pattern: '^[A-Za-z0-9_-]+$' },
  },
  status: 'Only deliveries with this status. `retrying`: those that are `pending` after a failed attempt.',
  event_type: 'Only deliveries of events of this type.',
  response_status:
    'Only deliveries whose last attempt was answered with a status of this class, or, with `none`, not at all. ' +
    'Those without a finished attempt are left out.',
  event_id: {
    description: 'Only deliveries of this event: the first one and its replays.',
    schema: {
      type: 'string',
      pattern: `^${idPrefixes.event}`,
      maxLength: ownIdLength,
      minLength: ownIdLength,
    },
  },
  run_id: 'Only deliveries of events about this Run.',
  created_after: timeParameter('Only deliveries that were created at this time or later.'),
  created_before: timeParameter('Only deliveries that were created before this time.'),
  window: 'The time that the figures are of: an hour, a day or a week, up to now.',
  type: 'The type of the items. There is only one, so that you need not send it.',
};

export function queryParameters({ query }: OperationDetails): readonly JsonObject[] {
  if (query === undefined) return [];
  const { properties } = jsonSchemaOf(query, 'input');
  return Object.entries(jsonOf(properties)).map(([name, generated]) => {
    const text = queryTexts[name];
    if (text === undefined) throw new Error(`Cannot describe the query parameter ${name}: give it a text`);
    const { description, schema } = typeof text === 'string' ? { description: text, schema: generated } : text;
    return { name, in: 'query', required: false, description, schema };
  });
}
