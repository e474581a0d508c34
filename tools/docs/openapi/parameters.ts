import { limits } from '#shared/contract/limits.ts';
import { defaultPlatforms } from '#shared/contract/platforms.ts';
import { handleLength } from '#shared/domain/creator.ts';
import { engineIdLength } from '#shared/domain/engine-id.ts';
import { type IdKind, idPrefixes, ownIdLength } from '#shared/domain/ids.ts';
import { pathExamples } from './examples.ts';
import { type JsonObject, jsonOf, schemaPath, toJsonSchema } from './json-schema.ts';
import type { OperationDetails } from './operations/operation-details.ts';
import { nameOf } from './schemas/named-schemas.ts';

type ParameterText = { readonly description: string; readonly schema: JsonObject };

const idParameter = (kind: IdKind, description: string): ParameterText => ({
  description,
  schema: { type: 'string', pattern: `^${idPrefixes[kind]}`, maxLength: engineIdLength },
});

/** By the path up to the parameter's end. */
const pathTexts: Readonly<Record<string, ParameterText>> = {
  '/v1/webhooks/{id}': idParameter('webhook', 'The id of the endpoint.'),
  '/v1/webhooks/{id}/deliveries/{deliveryId}': idParameter('delivery', 'The id of the delivery.'),
  '/v1/webhooks/{id}/replays/{replayId}': idParameter('bulkReplay', 'The id of the bulk replay.'),
  '/v1/runs/{id}': idParameter('run', 'The id of the Run.'),
  '/v1/trackers/{id}': idParameter('tracker', 'The id of the Tracker.'),
  '/v1/creators/{platform}': {
    description: `The platform of the creator: ${defaultPlatforms.map((name) => `\`${name}\``).join(', ')}.`,
    schema: { $ref: schemaPath('Platform') },
  },
  '/v1/creators/{platform}/{handle}': {
    description: 'The handle of the creator, with or without `@`, in upper or lower case.',
    schema: { type: 'string', minLength: 1, maxLength: handleLength },
  },
  '/docs/errors/{code}': { description: 'The problem code.', schema: { $ref: schemaPath('ProblemCode') } },
};

export function pathParameters(path: string): readonly JsonObject[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(({ 0: text, 1: name = '', index }) => {
    const upToEnd = path.slice(0, index + text.length);
    const known = pathTexts[upToEnd];
    const example = pathExamples[upToEnd];
    if (known === undefined || example === undefined) {
      throw new Error(`Cannot describe ${upToEnd}: give it a text and an example`);
    }
    return { name, in: 'path', required: true, ...known, example };
  });
}

/** A query parameter arrives as text, so these say more than its schema: the form of the value. */
const queryForms: Readonly<Record<string, JsonObject>> = {
  limit: {
    type: 'integer',
    minimum: 1,
    maximum: limits.pageSizeMax,
    default: limits.pageSizeDefault,
  },
  cursor: {
    type: 'string',
    minLength: 1,
    maxLength: limits.cursorLength,
    pattern: '^[A-Za-z0-9_-]+$',
  },
  event_id: {
    type: 'string',
    pattern: `^${idPrefixes.event}`,
    maxLength: ownIdLength,
    minLength: ownIdLength,
  },
  created_after: { type: 'string', format: 'date-time' },
  created_before: { type: 'string', format: 'date-time' },
};

const queryTexts: Readonly<Record<string, string>> = {
  limit: 'The maximum number of records on the page. A value outside the range is an error.',
  cursor: 'The `next_cursor` of the previous page of the same list with the same filters.',
  status: 'Only deliveries with this status.',
  event_type: 'Only deliveries of events of this type.',
  event_id: 'Only deliveries of this event: the first one and its replays.',
  run_id: 'Only deliveries of events about this Run.',
  created_after: 'Only deliveries that were created at this time or later.',
  created_before: 'Only deliveries that were created before this time.',
  type: 'The type of the items. There is only one, so that you need not send it.',
};

export function queryParameters({ query }: OperationDetails): readonly JsonObject[] {
  if (query === undefined) return [];
  const { properties } = toJsonSchema(query, 'input', nameOf);
  return Object.entries(jsonOf(properties)).map(([name, schema]) => {
    const description = queryTexts[name];
    if (description === undefined)
      throw new Error(`Cannot describe the query parameter ${name}: give it a text`);
    return { name, in: 'query', required: false, description, schema: queryForms[name] ?? schema };
  });
}
