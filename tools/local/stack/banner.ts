import { typedStackFile } from '../../operator/cli/local-stack-file.ts';
import { typedScript } from '../../operator/cli/output.ts';
import { defaultStackFile, type StackFile } from './stack-file.ts';

/**
 * Text for a newcomer: addresses, a key, and commands that work when pasted as one block. The block has no comments,
 * because zsh does not accept them in an interactive shell.
 */
export function banner(info: StackFile, startedInMs: number, stackFile = defaultStackFile): string {
  const [customer] = info.customers;
  const { origin, inbox_url: inbox } = info.receiver;
  const where = typedStackFile(stackFile);
  return `
Ready after ${(startedInMs / 1_000).toFixed(1)} s. Press Ctrl-C to stop.

  API        ${info.api_url}
  Docs       ${info.docs_url}
  Console    ${info.api_url}/console
  Receiver   ${origin.padEnd(34)}  a test endpoint, at any path
  Inbox      ${inbox.padEnd(34)}  what the receiver got
  Customer   ${customer?.id ?? ''}
  API key    ${customer?.api_key ?? ''}

${blockTitle} It registers an endpoint at the
receiver, reports that a Run (a job) has settled, and shows what arrived, with "verified": true.

  export API_KEY=${customer?.api_key ?? ''}
  curl -sS -w '\\n' ${info.api_url}/v1/webhooks -H "Authorization: Bearer $API_KEY" \\
    -H 'Content-Type: application/json' -d '{"url":"${origin}/hello"}' \\
    | tee -a /dev/stderr | curl -sS '${inbox}/secrets?name=hello' --data-binary @-
  ${typedScript('emit')} run.settled --customer ${customer?.id ?? ''} --wait${where}
  curl -sS '${inbox}?name=hello'

To see a retry, register ${origin}/again?fail_first=1 in the same way. The receiver also
knows status, fail_status, delay_ms, close, redirect and handshake (${info.docs_url}/local-development).
To receive events in your own server: ${typedScript('listen')} --forward http://localhost:3000/your-path${where}
`;
}

/** The line before the commands. */
export const blockTitle = 'Paste this block into another terminal, in this folder.';
