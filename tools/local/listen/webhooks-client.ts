import { z } from 'zod';
import { webhookRecord } from '#shared/contract/records/webhook.ts';
import { parseJson } from '../../operator/cli/parse-json.ts';
import { registeredAnswer } from '../parties/customer/customer-client.ts';

/** The API, and the customer as whom to call it. */
export type ApiAccess = {
  /** Address of the API without a trailing slash. */
  readonly apiUrl: string;
  readonly key: string;
};

export type Registered = z.infer<typeof registeredAnswer>;
export type Webhook = z.infer<typeof webhookRecord>;

/** The API refused a request; the message is for a person. */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem';
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

const problemSchema = z.object({
  title: z.string(),
  code: z.string(),
  detail: z.string().optional(),
  errors: z.array(z.object({ pointer: z.string(), detail: z.string() })).optional(),
});
const listSchema = z.object({ items: z.array(webhookRecord) });

/** Longer than the service waits for the handshake. */
const timeoutMs = 30_000;

/** The endpoints of one customer. Every method throws ApiProblem, or Error when the API does not respond. */
export class WebhooksClient {
  readonly #access: ApiAccess;

  constructor(access: ApiAccess) {
    this.#access = access;
  }

  /** All endpoints: a page holds more than a customer may have. */
  async list(): Promise<readonly Webhook[]> {
    return listSchema.parse(await this.#call('GET', '')).items;
  }

  async register(url: string, description: string): Promise<Registered> {
    return registeredAnswer.parse(await this.#call('POST', '', { url, description }));
  }

  async get(id: string): Promise<Webhook> {
    return webhookRecord.parse(await this.#call('GET', `/${id}`));
  }

  /** Deletes an endpoint; one that does not exist any more is no failure. */
  async remove(id: string): Promise<void> {
    await this.#call('DELETE', `/${id}`).catch((error: unknown) => {
      if (!(error instanceof ApiProblem) || error.status !== 404) throw error;
    });
  }

  async #call(method: string, path: string, body?: object): Promise<unknown> {
    const { apiUrl, key } = this.#access;
    const response = await fetch(`${apiUrl}/v1/webhooks${path}`, {
      method,
      // The key belongs to this address only.
      redirect: 'manual',
      headers: {
        Authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(timeoutMs),
    }).catch((cause: unknown) => {
      throw new Error(`The API at ${apiUrl} does not respond (${reasonOf(cause)})`, { cause });
    });
    const text = await response.text();
    if (response.ok) return parseJson(text);
    throw problemOf(response.status, text, apiUrl);
  }
}

function problemOf(status: number, text: string, apiUrl: string): ApiProblem {
  const parsed = problemSchema.safeParse(parseJson(text));
  if (!parsed.success) {
    return new ApiProblem(
      status,
      '',
      `${apiUrl} answered with status ${status}: is it the address of the API?`,
    );
  }
  const { title, code, detail, errors = [] } = parsed.data;
  const reasons = errors.length > 0 ? errors.map((error) => error.detail) : [detail ?? title];
  return new ApiProblem(status, code, `${reasons.join('; ')} (${status} ${code})`);
}

function reasonOf(failure: unknown): string {
  const { cause } = failure instanceof Error ? failure : {};
  const error = cause ?? failure;
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code;
  return error instanceof Error ? error.message : String(error);
}
