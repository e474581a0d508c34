import path from 'node:path';
import { z } from 'zod';
import { type LocalCertificate, openCertificate } from '../parties/receiver/certificates.ts';
import { type RunningReceiver, startReceiver } from '../parties/receiver/start-receiver.ts';
import { findFreePort } from '../servers/free-port.ts';
import { keep, readKept } from './kept-file.ts';
import { dataPath, type StackSettings } from './stack-options.ts';

export type TestReceiver = RunningReceiver & { readonly certificate: LocalCertificate };

const portsSchema = z.object({ endpoint: z.number(), inbox: z.number() });

type Ports = Readonly<z.infer<typeof portsSchema>>;

/**
 * Starts the test receiver with its certificate. It uses the ports of the previous run, because kept endpoints point at
 * them, then the configured ports, then free ones.
 */
export async function startTestReceiver(settings: StackSettings): Promise<TestReceiver> {
  const certificate = await openCertificate(path.resolve(settings.stateDir, 'tls'), new Date());
  const start = (ports: Ports) =>
    startReceiver({ tls: certificate, port: ports.endpoint, inboxPort: ports.inbox, now: Date.now });
  const file = dataPath(settings, 'receiver-ports.json');
  const wanted = (await readKept(file, portsSchema)) ?? settings.receiverPorts;
  const running = await start(wanted).catch(async (error: unknown) => {
    if (wanted.endpoint === 0 && wanted.inbox === 0) throw error;
    return await start({ endpoint: await findFreePort(), inbox: await findFreePort() });
  });
  await keep(file, portsOf(running));
  return { ...running, certificate };
}

function portsOf({ origin, inboxUrl }: RunningReceiver): Ports {
  return { endpoint: Number(new URL(origin).port), inbox: Number(new URL(inboxUrl).port) };
}
