// Starts the webhook receiver of handler.mjs.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { createReceiver, handle } from './handler.mjs';

const { PORT = '3000', WEBHOOK_SECRET = '', TLS_CERT, TLS_KEY } = process.env;

const receiver = createReceiver(WEBHOOK_SECRET, handle);
const server =
  TLS_CERT && TLS_KEY
    ? createTlsServer({ cert: readFileSync(TLS_CERT), key: readFileSync(TLS_KEY) }, receiver)
    : createServer(receiver);

server.listen(Number(PORT), '127.0.0.1', () => console.log(`Listening on port ${server.address().port}`));
