import { join } from 'node:path';
import { z } from 'zod';
import type { Table } from '#shared/aws/clients.ts';
import { readCursorSecret } from '#shared/aws/table/cursor-secret.ts';
import { environmentNames } from '#shared/contract/environment.ts';
import { createCursors } from '#shared/runtime/cursors.ts';
import { randomBytes } from '#shared/runtime/system.ts';
import { localEnvironment } from '../../local/aws/lambda/function-environment.ts';
import { LambdaFunction } from '../../local/aws/lambda/lambda-function.ts';
import { apiEvent } from '../api-event.ts';
import { bundleFolder } from '../build-bundles.ts';
import { measuredKeys } from './items.ts';
import { pageSize } from './list-lines.ts';
import type { Request } from './read-lines.ts';
import { apiKeyTextAt, baseUrl, deliveryIdAt, measured } from './records.ts';
import type { TableSize } from './sizes.ts';

const answered = z.object({ ok: z.literal(true), payload: z.object({ statusCode: z.literal(200) }) });

type Call = {
  readonly path: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
};

/** Requests through the built handlers: authentication, request limit, operation and response. */
export async function handlerRequests(
  table: Table,
  dynamodbUrl: string,
  size: TableSize,
  parts: AsyncDisposableStack,
): Promise<Readonly<Record<string, Request>>> {
  const start = (folder: string) => {
    const started = startFunction(folder, dynamodbUrl, table.name);
    parts.defer(() => started.close());
    return started;
  };
  const { webhookId: id } = measured;
  const deliveries = start('api/list-deliveries');
  const key = { id, deliveryId: deliveryIdAt(size.stored / 2) };
  const query = { cursor: await middleCursor(table, size) };
  const getDelivery = requestTo(start('api/get-delivery'), { path: key });
  // The first request of a key stores its window; all later ones cost the same.
  for (let count = 0; count < measuredKeys; count += 1) await getDelivery();
  return {
    'Handler: get a delivery': getDelivery,
    'Handler: deliveries, page 1': requestTo(deliveries, { path: { id } }),
    'Handler: deliveries, middle': requestTo(deliveries, { path: { id }, query }),
    'Handler: Runs, page 1': requestTo(start('api/list-runs'), { path: {} }),
  };
}

function middleCursor(table: Table, { stored }: TableSize): Promise<string> {
  const cursors = createCursors({ readSecret: readCursorSecret(table, randomBytes), randomBytes });
  const { customerId, webhookId } = measured;
  const after = stored / 2 - ((stored / 2) % pageSize);
  return cursors.seal(['deliveries', customerId, webhookId, '', ''], deliveryIdAt(after));
}

function startFunction(folder: string, dynamodbUrl: string, tableName: string): LambdaFunction {
  const endpoints = { dynamodb: dynamodbUrl, sqs: dynamodbUrl, scheduler: dynamodbUrl, kms: dynamodbUrl };
  const local = localEnvironment({
    endpoints,
    trustedOrigins: [],
    timeScale: 1,
    issuerOrigin: 'http://localhost',
  });
  return new LambdaFunction({
    model: {
      name: folder,
      arn: `arn:aws:lambda:us-east-1:000000000000:function:${folder}`,
      title: folder,
      handler: 'index.handler',
      codeDirectory: join(bundleFolder, folder),
      timeoutSeconds: 30,
      memoryMegabytes: 256,
      allowsLoops: false,
      environment: {},
    },
    environment: {
      ...local,
      [environmentNames.tableName]: tableName,
      [environmentNames.baseUrl]: baseUrl,
      [environmentNames.docsUrl]: `${baseUrl}/docs`,
      [environmentNames.stage]: 'bench',
    },
    extraCertificates: [],
    onLogLine: () => {},
  });
}

/** Uses the customer's keys in turn, so that none reaches its request limit. */
function requestTo(target: LambdaFunction, call: Call): Request {
  let count = 0;
  return async () => {
    count += 1;
    answered.parse(
      await target.invoke(apiEvent({ ...call, apiKey: apiKeyTextAt(1 + (count % (measuredKeys - 1))) })),
    );
  };
}
