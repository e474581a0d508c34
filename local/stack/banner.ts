import type { StackFile } from './stack-file.ts';

/** What a newcomer needs to see first: addresses, a key, and commands that work as they are printed. */
export function banner(info: StackFile, startedInMs: number): string {
  const [customer] = info.customers;
  const key = customer?.api_key ?? '';
  const authorization = `-H 'Authorization: Bearer ${key}'`;
  return `
Ready after ${(startedInMs / 1_000).toFixed(1)} s. Ctrl-C stops everything.

  API        ${info.api_url}
  Receiver   ${info.receiver.origin}  (inbox: ${info.receiver.inbox_url})
  Customer   ${customer?.id ?? ''}
  API key    ${key}

Try it in another terminal:

  # 1. Register an endpoint at the test receiver; a test event is posted to it at once.
  WEBHOOK=$(curl -sS ${info.api_url}/v1/webhooks ${authorization} \\
    -H 'Content-Type: application/json' -d '{"url":"${info.receiver.origin}/hello"}' \\
    | tee /dev/stderr | grep -o 'whe_[0-9A-Z]*' | head -n 1)

  # 2. Let a Run settle; the event goes to every endpoint of the customer.
  npm run emit -- run.settled --customer ${customer?.id ?? ''}

  # 3. See the delivery, and what the receiver got.
  curl -sS ${info.api_url}/v1/webhooks/$WEBHOOK/deliveries ${authorization}
  curl -sS '${info.receiver.inbox_url}?name=hello'
`;
}
