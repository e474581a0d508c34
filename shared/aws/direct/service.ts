import { requestTries } from '#shared/aws/client-settings.ts';
import { createClockCorrection } from './clock-correction.ts';
import { endpointOf, type ServiceName } from './endpoints.ts';
import type { Host } from './host.ts';
import { RetryBudget, type RetryReason, retryPause, retryReason } from './retries.ts';
import { toServiceError } from './service-error.ts';
import { createSignRequest } from './sign-request.ts';
import type { Transport } from './transport.ts';

export type ServiceRequest = {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

/** Sends a request to a service, with retries. @returns the parsed JSON of the response. @throws ServiceError */
export type Service = (request: ServiceRequest) => Promise<unknown>;

export function createService(name: ServiceName, transport: Transport, host: Host): Service {
  const endpoint = endpointOf(name, host);
  const signRequest = createSignRequest(name, host);
  const clock = createClockCorrection(host.now);
  const post = async ({ path, headers, body }: ServiceRequest): Promise<unknown> => {
    const url = path === '/' ? endpoint : new URL(path, endpoint);
    const signed = await signRequest({ url, headers, body }, clock.now());
    const answer = await transport.post({ url, headers: { ...signed, ...traceHeader(host) }, body });
    if (answer.status < 300) return parseAnswer(name, answer.body);
    throw clock.corrected(toServiceError(name, answer), answer);
  };
  return withRetries(post, host, (error) => clock.wasCorrected(error));
}

function withRetries(
  post: Service,
  { backoff }: Host,
  isWorthAnotherTry: (error: unknown) => boolean,
): Service {
  const budget = new RetryBudget();
  return async (request) => {
    let reason: RetryReason | null = null;
    for (let attempt = 1; ; attempt += 1) {
      try {
        const answer = await post(request);
        budget.giveBack(reason);
        return answer;
      } catch (error) {
        reason = isWorthAnotherTry(error) ? 'failed' : retryReason(error);
        if (reason === null || attempt === requestTries || !budget.take(reason)) throw error;
        await backoff.wait(retryPause(reason, attempt, backoff.random()));
      }
    }
  };
}

function parseAnswer(service: string, body: string): unknown {
  try {
    return body === '' ? {} : JSON.parse(body);
  } catch (cause) {
    throw new Error(`Cannot read the response of ${service}: it is not JSON`, { cause });
  }
}

/** Lets Lambda recognise a loop between functions and queues, as requests of the SDK do. */
function traceHeader({ environment }: Host): Readonly<Record<string, string>> {
  const { AWS_LAMBDA_FUNCTION_NAME: inLambda, _X_AMZN_TRACE_ID: trace } = environment();
  return inLambda && trace ? { 'x-amzn-trace-id': trace } : {};
}
