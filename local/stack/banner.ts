import type { StackFile } from './stack-file.ts';

/** Text for a newcomer: addresses, a key, and commands that work as printed. */
export function banner(info: StackFile, startedInMs: number): string {
  const [customer] = info.customers;
  const key = customer?.api_key ?? '';
  const authorization = `-H 'Authorization: Bearer ${key}'`;
  return `
Ready after ${(startedInMs / 1_000).toFixed(1)} s. Press Ctrl-C to stop.

  API        ${info.api_url}
  Docs       ${info.docs_url}
  Receiver   ${info.receiver.origin}  (inbox: ${info.receiver.inbox_url})
  Customer   ${customer?.id ?? ''}
  API key    ${key}

Try it in another terminal:

  # 1. Register an endpoint at the test receiver; the service sends it a test event at once.
  WEBHOOK=$(curl -sS ${info.api_url}/v1/webhooks ${authorization} \\
    -H 'Content-Type: application/json' -d '{"url":"${info.receiver.origin}/hello"}' \\
    | tee /dev/stderr | grep -o 'whe_[0-9A-Z]*' | head -n 1)

  # 2. Settle a Run; its event is sent to every endpoint of the customer.
  npm run emit -- run.settled --customer ${customer?.id ?? ''}

  # 3. Show the delivery, and the requests to the receiver.
  curl -sS ${info.api_url}/v1/webhooks/$WEBHOOK/deliveries ${authorization}
  curl -sS '${info.receiver.inbox_url}?name=hello'
`;
}
