import { clientSettings, requestPatience } from '#shared/aws/client-settings.ts';
import type { ServiceName } from './endpoints.ts';
import type { Host } from './host.ts';
import { createService, type Service } from './service.ts';
import { createTransport } from './transport.ts';

const limits = { maxSockets: clientSettings.requestHandler.httpAgent.maxSockets, patience: requestPatience };

export type Connected = { readonly service: Service; close(): void };

/** Connects to a service. Each has its own connections and retries. */
export function connectService(name: ServiceName, host: Host): Connected {
  const transport = createTransport(limits);
  return { service: createService(name, transport, host), close: () => transport.close() };
}

/** Calls an operation by its name. @returns the parsed JSON of the response */
export type Call = (operation: string, input: object) => Promise<unknown>;

/** The protocol that DynamoDB, SQS and KMS share. */
export function jsonCall(service: Service, version: '1.0' | '1.1', target: string): Call {
  return (operation, input) =>
    service({
      path: '/',
      headers: {
        'content-type': `application/x-amz-json-${version}`,
        'x-amz-target': `${target}.${operation}`,
      },
      body: JSON.stringify(input),
    });
}
