// What the receiver does with each request, without dependencies. Your code goes into `handle`.
import { createHmac, timingSafeEqual } from 'node:crypto';

/** `service` is the deployment's setting `serviceName` in lower case. */
const headerPrefix = 'x-service';
const toleranceSeconds = 300;
const maxBodyBytes = 1024 * 1024;
const maxRememberedIds = 10_000;

/**
 * Checks the signature over the raw body. Accepts any matching `v1`: during a rotation overlap there are two.
 * To verify the `webhook-…` headers of Standard Webhooks instead, use the package `standardwebhooks`.
 *
 * @param {string | undefined} header the signature header, `t=<unix seconds>,v1=<hex>`; `undefined` if there is none
 * @param {Buffer} body the bytes as received, before any JSON parser
 * @param {string} secret the whole signing secret, `whsec_` included
 */
function isGenuine(header, body, secret) {
  const parts = (header ?? '').split(',').map((part) => part.split('='));
  const time = parts.find(([name]) => name === 't')?.[1] ?? '';
  if (secret === '' || !/^[0-9]+$/.test(time)) return false;
  if (Math.abs(Date.now() / 1000 - Number(time)) > toleranceSeconds) return false;
  const expected = createHmac('sha256', secret).update(`${time}.`).update(body).digest();
  return parts
    .filter(([name]) => name === 'v1')
    .map(([, value = '']) => Buffer.from(value, 'hex'))
    .some((given) => given.length === expected.length && timingSafeEqual(given, expected));
}

/** Your code goes here. In production, store the event before you respond, so that a crash cannot lose it. */
export function handle(event) {
  switch (event.type) {
    case 'run.completed':
      console.log(`Run ${event.run_id} ended as ${event.status} (${event.id})`);
      break;
    case 'tracker.changed':
      console.log(`Tracker ${event.tracker_id} wrote ${event.change_report_id} (${event.id})`);
      break;
    default:
      console.log(`Ignored ${event.type} (${event.id})`);
  }
}

/** @returns {Promise<Buffer | null>} `null` if the body is too large */
async function readBody(request) {
  const chunks = [];
  let length = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    length += chunk.length;
    if (length > maxBodyBytes) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function parseEvent(body) {
  try {
    const event = JSON.parse(body.toString('utf8'));
    return typeof event?.id === 'string' && typeof event.type === 'string' ? event : null;
  } catch {
    return null;
  }
}

/** In production, use a table with a unique key on the event id: this set is empty after a restart. */
function rememberIds() {
  const seenIds = new Set();
  return (id) => {
    if (seenIds.has(id)) return false;
    seenIds.add(id);
    const [oldest] = seenIds;
    if (seenIds.size > maxRememberedIds) seenIds.delete(oldest);
    return true;
  };
}

/**
 * What a server calls with each request.
 *
 * @param {string} secret the signing secret, empty before the registration
 * @param {(event: object) => void} work what to do with each new event, after the response
 */
export function createReceiver(secret, work) {
  const isNew = rememberIds();
  async function receive(request, response) {
    const respond = (status, headers = {}) => response.writeHead(status, headers).end();
    if (request.method !== 'POST') return respond(405);
    const body = await readBody(request);
    if (body === null) return respond(413, { connection: 'close' });
    if (!isGenuine(request.headers[`${headerPrefix}-signature`], body, secret)) {
      // The handshake arrives before the API returns the secret. It needs only a 2xx, and nothing is done with it.
      return respond(request.headers[`${headerPrefix}-event-type`] === 'webhook.test' ? 204 : 401);
    }
    const event = parseEvent(body);
    if (event === null) return respond(400);
    respond(204);
    if (isNew(event.id)) setImmediate(work, event);
  }
  return (request, response) => void receive(request, response).catch(() => response.destroy());
}
