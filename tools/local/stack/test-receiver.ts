import path from 'node:path';
import { z } from 'zod';
import { openCertificate } from '../parties/receiver/certificates.ts';
import { startReceiver } from '../parties/receiver/start-receiver.ts';
import { findFreePort } from '../servers/free-port.ts';
import { keep, readKept } from './kept-file.ts';
import { dataPath, type StackSettings } from './stack-options.ts';

const portsSchema = z.object({ endpoint: z.number(), inbox: z.number() });

/**
 * Starts the test receiver with its certificate. It uses the ports of the previous run, because kept endpoints point at
 * them, then the configured ports, then free ones.
 */
export async function startTestReceiver(settings: StackSettings) {
  const certificate = await openCertificate(path.resolve(settings.stateDir, 'tls'), new Date());
  const start = ({ endpoint, inbox }: StackSettings['receiverPorts']) =>
    startReceiver({ tls: certificate, port: endpoint, inboxPort: inbox, now: Date.now });
  const file = dataPath(settings, 'receiver-ports.json');
  const wanted = (await readKept(file, portsSchema)) ?? settings.receiverPorts;
  const running = await start(wanted).catch(async (error: unknown) => {
    if (wanted.endpoint === 0 && wanted.inbox === 0) throw error;
    return await start({ endpoint: await findFreePort(), inbox: await findFreePort() });
  });
  const { origin, inboxUrl } = running;
  await keep(file, { endpoint: Number(new URL(origin).port), inbox: Number(new URL(inboxUrl).port) });
  return { ...running, certificate };
}
