import { coloured } from '../../operator/cli/colour.ts';
import type { Webhook } from './endpoints.ts';
import type { ReceivedDelivery } from './receive-deliveries.ts';
import type { Ready } from './start-listening.ts';

/** What a person or a program learns while it listens. */
export type Report = {
  readonly leftOver: (webhook: Webhook) => void;
  readonly ready: (ready: Ready) => void;
  readonly delivery: (delivery: ReceivedDelivery) => void;
  readonly stopped: (webhookId: string) => void;
  /** Something that is neither a result nor the end. */
  readonly note: (text: string) => void;
};

export type ReportOptions = {
  readonly format: 'text' | 'json' | 'secret';
  readonly apiUrl: string;
  readonly forward: URL | undefined;
  /** Customer of the local stack, if the key is one of its keys. */
  readonly customerId: string | undefined;
  /** The command that makes an event of this customer. */
  readonly emitCommand: string;
  readonly now: () => number;
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
};

export function createReport(options: ReportOptions): Report {
  return options.format === 'json' ? jsonReport(options) : textReport(options);
}

/** With the format `secret`, the first line of the output is the secret, alone. */
function textReport(options: ReportOptions): Report {
  const { format, out, err } = options;
  const line = (text: string): void => err(`${text}\n`);
  return {
    leftOver: ({ id, url }) => line(`Deleted ${id} (${url}), which an earlier run left behind`),
    ready: (ready) => {
      if (format === 'secret') out(`${ready.secret}\n`);
      (format === 'secret' ? err : out)(readyText(ready, options));
    },
    delivery: (delivery) => out(`${deliveryText(delivery)}\n`),
    stopped: (webhookId) => line(`Deleted endpoint ${webhookId}`),
    note: line,
  };
}

function readyText({ webhookId, url, secret }: Ready, options: ReportOptions): string {
  const { apiUrl, forward, customerId, emitCommand } = options;
  const rows = [
    ['API', apiUrl],
    ...(customerId === undefined ? [] : [['Customer', customerId]]),
    ['Endpoint', `${webhookId}  ${url}`],
    ['Secret', secret],
    ['Forwards to', forward?.href ?? 'no server: listen answers 200 (see --forward)'],
  ];
  const table = rows.map(([name = '', value]) => `  ${name.padEnd(11)}  ${value}\n`).join('');
  const hint = customerId === undefined ? '' : `\nSend an event: ${emitCommand}\n`;
  return `Listening. Press Ctrl-C to stop and delete the endpoint.\n\n${table}${hint}\n`;
}

function deliveryText(delivery: ReceivedDelivery): string {
  const { at, eventType, eventId, fault, request } = delivery;
  const columns = [
    new Date(at).toLocaleTimeString('sv-SE'),
    printable(eventType ?? '(no type)').padEnd(15),
    printable(eventId ?? '(no event id)'),
    coloured(fault === null ? 'verified' : 'not verified'),
    outcomeText(delivery),
  ];
  return `${columns.join('  ')}${request > 1 ? ` (request ${request} for this event)` : ''}`;
}

function outcomeText({ forwarded, responseStatus, isHandshake, fault }: ReceivedDelivery): string {
  if (fault !== null) return `${responseStatus} from listen (${printable(fault)})`;
  if (forwarded === null) {
    return `${responseStatus} from listen${isHandshake ? ' (the handshake is not forwarded)' : ''}`;
  }
  return forwarded.status === null
    ? `${responseStatus}: ${forwarded.error ?? ''}`
    : `${responseStatus} in ${forwarded.ms} ms`;
}

function jsonReport({ apiUrl, forward, now, out, err }: ReportOptions): Report {
  const line = (kind: string, at: number, members: object): void =>
    out(`${JSON.stringify({ kind, time: new Date(at).toISOString(), ...members })}\n`);
  return {
    leftOver: ({ id, url }) => line('left_over_deleted', now(), { webhook_id: id, url }),
    ready: ({ webhookId, url, secret }) =>
      line('ready', now(), {
        api_url: apiUrl,
        webhook_id: webhookId,
        url,
        secret,
        forward: forward?.href ?? null,
      }),
    delivery: (delivery) => line('delivery', delivery.at, deliveryMembers(delivery)),
    stopped: (webhookId) => line('stopped', now(), { webhook_id: webhookId }),
    note: (text) => err(`${text}\n`),
  };
}

function deliveryMembers(delivery: ReceivedDelivery): object {
  return {
    event_id: delivery.eventId,
    event_type: delivery.eventType,
    request: delivery.request,
    handshake: delivery.isHandshake,
    verified: delivery.fault === null,
    reason: delivery.fault,
    response_status: delivery.responseStatus,
    forwarded: delivery.forwarded,
    body: delivery.body.toString('utf8'),
  };
}

/** Anyone can send requests to a tunnel; control characters could control the terminal. */
function printable(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, '').slice(0, 100);
}
