/** The context that Lambda gives to a handler, in a process without Lambda. */
export function lambdaContext(remainingMs: number) {
  return {
    awsRequestId: 'request',
    functionName: 'function',
    functionVersion: '$LATEST',
    invokedFunctionArn: 'arn:aws:lambda:us-east-1:000000000000:function:function',
    memoryLimitInMB: '256',
    logGroupName: 'group',
    logStreamName: 'stream',
    callbackWaitsForEmptyEventLoop: false,
    getRemainingTimeInMillis: () => remainingMs,
  };
}
