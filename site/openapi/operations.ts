import { listQuery, listRunItemsQuery } from '#shared/contract/list-query.ts';
import { invalidRequest } from '#shared/contract/problem.ts';
import { credentialRecord } from '#shared/contract/records/credential.ts';
import { registrationRecord } from '#shared/contract/records/registration.ts';
import { runRecord } from '#shared/contract/records/run.ts';
import { sourceAddressesRecord } from '#shared/contract/records/source-addresses.ts';
import { trackerRecord } from '#shared/contract/records/tracker.ts';
import { registerWebhookBody, webhookRecord } from '#shared/contract/records/webhook.ts';
import type { OperationName } from '#shared/contract/routes.ts';
import { attemptTimeout } from '#shared/domain/retry-plan.ts';
import { deliveryOperations } from './operations/delivery-operations.ts';
import type { Operation, OperationDetails } from './operations/operation-details.ts';
import { resultSchemas } from './schemas/result-schemas.ts';
import { secretRotation, webhookSchemas } from './schemas/webhook-schemas.ts';

export const operationDetails: Readonly<Record<OperationName, OperationDetails>> = {
  ...tagged('Webhooks', {
    registerWebhook: {
      description:
        'Registers a URL and sends it a `webhook.test` event before it responds. If the URL answers with 2xx within ' +
        `${attemptTimeout / 1000} seconds, the endpoint is \`active\` and receives every event of the customer from now on. ` +
        'After any other outcome it is `failed`: it receives nothing and holds a slot until you delete it.\n\n' +
        'The response is 201 in both cases, so read `webhook.status`; `test_delivery.error` says what went wrong. The ' +
        'test event arrives before you know the secret: respond with 2xx to a `webhook.test` that you cannot verify, and ' +
        'do nothing else.\n\n' +
        'Store `secret` now: it is shown once. Only the same request with the same `Idempotency-Key` gets it again.',
      success: 'The endpoint, `active` or `failed`, with its secret and the delivery of its test event.',
      body: registerWebhookBody,
      fault: invalidRequest('/url', 'The URL must use https'),
      response: registrationRecord,
    },
    listWebhooks: {
      description: 'Lists the endpoints of the customer, without deleted ones, newest first.',
      success: 'One page of endpoints.',
      query: listQuery,
      response: webhookSchemas.WebhookList.schema,
    },
    getWebhook: {
      description:
        'Reads one endpoint. A deleted endpoint stays readable, with the status `deleted`. No response contains the ' +
        'secret; `secret_prefix` tells which one is in use.',
      success: 'The endpoint.',
      response: webhookRecord,
    },
    deleteWebhook: {
      description:
        'Deletes an endpoint, `active` or `failed`, and frees its slot. No POST to the endpoint begins after this ' +
        'response; its pending deliveries end as `failed`. Its deliveries stay readable. A deleted endpoint cannot be ' +
        'restored: register the URL again, and get a new id and a new secret.',
      success: 'The endpoint is deleted. The response has no body.',
      response: null,
    },
    rotateSecret: {
      description:
        'Creates a new signing secret. For 24 hours the old secret stays valid, and every delivery is signed with both, ' +
        'so that you can change your receiver without losing an event. There is no way to end the overlap early or to ' +
        'rotate again before it ends.\n\nStore `secret` now: it is shown once. Only the same request with the same ' +
        '`Idempotency-Key` gets it again.',
      success: 'The endpoint and its new secret.',
      response: secretRotation,
    },
    getAddresses: {
      description:
        'Reads the IPv4 addresses that deliveries come from, for a firewall with a list of addresses. The list is empty ' +
        'when this deployment has no fixed addresses: deliveries then come from changing ones. An address proves ' +
        'nothing: verify the signature in any case.',
      success: 'The addresses.',
      response: sourceAddressesRecord,
    },
  }),
  ...tagged('Deliveries', deliveryOperations),
  ...tagged('Results', {
    listRuns: {
      description: 'Lists the Runs of the customer in every status, newest first.',
      success: 'One page of Runs.',
      query: listQuery,
      response: resultSchemas.RunList.schema,
    },
    getRun: {
      description:
        'Reads one Run. Its status is final once it is `completed`, `partial` or `failed`. The event `run.completed` ' +
        'tells you when that happens, so that you need not poll.',
      success: 'The Run.',
      response: runRecord,
    },
    listRunItems: {
      description:
        'Lists the items of a Run, newest first, once the Run is `completed` or `partial`. Reading is free, and reading ' +
        'again is too.',
      success: 'One page of videos.',
      query: listRunItemsQuery,
      response: resultSchemas.VideoList.schema,
    },
    getTracker: {
      description: 'Reads one Tracker.',
      success: 'The Tracker.',
      response: trackerRecord,
    },
    listChangeReports: {
      description: 'Lists the Change Reports of a Tracker, newest first.',
      success: 'One page of Change Reports.',
      query: listQuery,
      response: resultSchemas.ChangeReportList.schema,
    },
    listCreatorVideos: {
      description:
        'Lists the stored videos of a creator, newest first. Reading is free and starts no Run. A creator of whom ' +
        'nothing was stored for this customer is `not_found`.',
      success: 'One page of videos.',
      query: listQuery,
      response: resultSchemas.VideoList.schema,
    },
  }),
  ...tagged('Credentials', {
    getCredential: {
      description:
        'Reads who the credential of this request acts for, and when it ends. The console shows both. It is one request ' +
        'of the limit, like every other.',
      success: 'The caller.',
      response: credentialRecord,
    },
  }),
  ...tagged('Documentation', {
    getProblemPage: {
      description: 'The page about a problem code, for people. The `type` of every problem document links to it.',
      success: 'The page, as HTML.',
      response: 'html',
    },
  }),
};

function tagged<Name extends OperationName>(
  tag: OperationDetails['tag'],
  operations: Readonly<Record<Name, Operation>>,
): Readonly<Record<Name, OperationDetails>>;
function tagged(tag: OperationDetails['tag'], operations: Readonly<Record<string, Operation>>) {
  return Object.fromEntries(Object.entries(operations).map(([name, each]) => [name, { ...each, tag }]));
}
