import { describe, expect, it } from 'vitest';
import { explainFailure } from '../../../tools/operator/cli/explain-failure.ts';

function failure(message: string, marks: object): Error {
  return Object.assign(new Error(message), marks);
}

const refused = failure('connect ECONNREFUSED 127.0.0.1:8000', { code: 'ECONNREFUSED' });
const start = 'no service answers there; start the local stack again with npm start';
const credentials = 'set AWS credentials and AWS_REGION in the environment';

describe('explainFailure()', () => {
  it.each([
    [new Error('Customer x not found'), 'Customer x not found'],
    [refused, `connect ECONNREFUSED 127.0.0.1:8000: ${start}`],
    [new TypeError('fetch failed', { cause: refused }), `fetch failed: ${start}`],
    [new AggregateError([refused, refused]), `connect ECONNREFUSED 127.0.0.1:8000: ${start}`],
    [
      failure('Could not load credentials.', { name: 'CredentialsProviderError' }),
      `Could not load credentials: ${credentials}`,
    ],
    [
      failure('a request has exceeded 3000 ms', { name: 'TimeoutError', code: 'ETIMEDOUT' }),
      'a request has exceeded 3000 ms: the request timed out; check the network and what was done, then run the command again',
    ],
    [
      failure('getaddrinfo ENOTFOUND dynamodb.us-east-9.amazonaws.com', { code: 'ENOTFOUND' }),
      'getaddrinfo ENOTFOUND dynamodb.us-east-9.amazonaws.com: check AWS_REGION and the network',
    ],
    [new Error('Region is missing'), `Region is missing: ${credentials}`],
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
