import { EncryptCommand, KMSClient } from '@aws-sdk/client-kms';
import { type DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { AwsClientStub } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { operationFolder } from '#shared/contract/functions.ts';
import { type OperationName, operationNames, routes } from '#shared/contract/routes.ts';
import { makeId } from '#shared/domain/ids.ts';
import { apiEvent, operationCommands, useFunctionClients } from '../../support/aws/aws-functions.ts';
import { commandsOf, useMock } from '../../support/aws/aws-mocks.ts';
import { lambdaContext } from '../../support/aws/lambda-events.ts';
import { buildDelivery, webhookId } from '../../support/values/builders.ts';

const { table } = useFunctionClients();
const kms = useMock(KMSClient);
beforeEach(() => void kms.on(EncryptCommand).resolves({ CiphertextBlob: Buffer.from('sealed') }));

/** Errors of DynamoDB and its client under overload or during an outage. */
const failures = [
  ['ProvisionedThroughputExceededException', 400],
  ['ThrottlingException', 400],
  ['RequestLimitExceeded', 400],
  ['InternalServerError', 500],
  ['ServiceUnavailable', 503],
  ['TimeoutError', undefined],
  ['AccessDeniedException', 403],
  ['ResourceNotFoundException', 404],
] as const;

/** The step of a request from which on the table fails. */
const steps: readonly (readonly [
  string,
  (mock: AwsClientStub<DynamoDBDocumentClient>, error: Error) => void,
])[] = [
  ['the look at the credential', (mock, error) => void mock.reset().rejects(error)],
  [
    'the count of the request',
    (mock, error) => void mock.on(UpdateCommand, { Key: { pk: 'RATE#aky_1', sk: 'RATE' } }).rejects(error),
  ],
  ['the operation itself', (mock, error) => void mock.rejects(error)],
];

const operations = operationNames.filter((name) => routes[name].access === 'customer');

const replayRequest = { status: 'failed', created_after: '2026-01-01T00:00:00Z' };
const bodies: Partial<Readonly<Record<OperationName, object>>> = {
  registerWebhook: { url: 'https://8.8.8.8/hook' },
  createBulkReplay: replayRequest,
  planBulkReplay: replayRequest,
};

/** A valid request. */
function requestOf(operation: OperationName) {
  const { method, path: resource } = routes[operation];
  const id = resource.includes('/runs/') ? 'run_1' : resource.includes('/trackers/') ? 'trk_1' : webhookId;
  const replayId = makeId('bulkReplay', 0, new Uint8Array(10));
  const path = { id, deliveryId: buildDelivery().id, replayId, platform: 'tiktok', handle: 'example' };
  const body = bodies[operation];
  return apiEvent(method, resource, { path, ...(body === undefined ? {} : { body }) });
}

const proxyAnswer = z.object({
  statusCode: z.number(),
  headers: z.record(z.string(), z.unknown()),
  body: z.string(),
});

async function call(operation: OperationName) {
  const folder = operationFolder(operation).replace('api/', '');
  const { handler } = await import(`../../../functions/api/${folder}/handler.ts`);
  return proxyAnswer.parse(await handler(requestOf(operation), lambdaContext));
}

describe.each(steps)('a table that cannot keep up at %s', (step, strike) => {
  it.each(operations)(
    'an overloaded table makes %s fail as the service, never as the credential or the request',
    async (operation) => {
      for (const [name, httpStatusCode] of failures) {
        const message = 'table webhooks-prod cannot keep up';
        strike(table, Object.assign(new Error(message), { name, $metadata: { httpStatusCode } }));

        const answer = await call(operation);

        expect([name, answer.statusCode]).toEqual([name, 500]);
        expect(answer.headers).toMatchObject({ 'Content-Type': 'application/problem+json' });
        expect(JSON.parse(answer.body)).toMatchObject({ status: 500, code: 'internal_error' });
        expect(answer.body).not.toMatch(/webhooks-prod|Exception/);
        const asked = step === 'the operation itself' ? operationCommands(table) : commandsOf(table);
        expect(asked).not.toEqual([]);
      }
    },
  );
});
