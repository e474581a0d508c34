import { describe, expect, it } from 'vitest';
import { explainFailure } from '../../../tools/operator/cli/explain-failure.ts';

function failure(message: string, marks: object): Error {
  return Object.assign(new Error(message), marks);
}

const refused = failure('connect ECONNREFUSED 127.0.0.1:8000', { code: 'ECONNREFUSED' });
const start = 'No service answers there: start the local stack again with npm start';
const credentials = 'Set AWS credentials and AWS_REGION in the environment: they are missing, or no longer valid';
const late = 'A request was not answered in time: check the network and what was done, then run the command again';

describe('explainFailure()', () => {
  it.each([
    [new Error('Customer x not found'), 'Customer x not found'],
    [refused, start],
    [new TypeError('fetch failed', { cause: refused }), start],
    [new AggregateError([refused, refused]), start],
    [failure('Could not load credentials.', { name: 'CredentialsProviderError' }), credentials],
    [
      failure('@smithy/node-http-handler - the request socket timed out after 3000 ms (configured by client)', {
        name: 'TimeoutError',
        code: 'ETIMEDOUT',
      }),
      late,
    ],
    [
      failure('getaddrinfo ENOTFOUND dynamodb.us-east-9.amazonaws.com', { code: 'ENOTFOUND' }),
      'The service was not found: check AWS_REGION and the network',
    ],
    [
      failure('socket hang up', { code: 'ECONNRESET' }),
      'The network failed: check it and AWS_REGION, and what was done, then run the command again',
    ],
    [
      failure('Rate exceeded', { name: 'ThrottlingException' }),
      'AWS takes no more requests now: wait a minute, then run the command again',
    ],
    [
      failure('User u may not perform sqs:SendMessage', { name: 'AccessDeniedException' }),
      'User u may not perform sqs:SendMessage: use credentials that may read the stack, write to its table and use its queues',
    ],
    [new Error('Region is missing'), credentials],
    [
      failure('Stack with id webhooks-x-data does not exist', { name: 'ValidationError' }),
      'Stack with id webhooks-x-data does not exist: check --stage and AWS_REGION',
    ],
    [new Error('one\n  two\n'), 'one two'],
    [new Error(''), 'The command failed'],
    ['text', 'text'],
    [null, 'null'],
  ])('says in one line what to do about %s', (error, line) => {
    expect(explainFailure(error)).toBe(line);
  });

  it('ends when an error is its own cause', () => {
    const error = new Error('round');
    error.cause = error;

    expect(explainFailure(error)).toBe('round');
  });
});
