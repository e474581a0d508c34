import type { HttpAnswer } from './transport.ts';

/** A service refused a request. `name` is the service's name of the error, such as `ThrottlingException`. */
export class ServiceError extends Error {
  readonly httpStatus: number;
  /** Members of the response, such as the item of a failed condition. */
  readonly details: Readonly<Record<string, unknown>>;

  constructor(name: string, message: string, httpStatus: number, details: Readonly<Record<string, unknown>>) {
    super(message);
    this.name = name;
    this.httpStatus = httpStatus;
    this.details = details;
  }
}

/** Reads the error in a response; a response without a readable one gets the name `UnknownError`. */
export function toServiceError(service: string, { status, headers, body }: HttpAnswer): ServiceError {
  const details = recordOf(parseOrNull(body));
  const type = [headers['x-amzn-errortype'], details.__type, details.code].find(isText);
  const message = [details.message, details.Message].find(isText);
  return new ServiceError(
    type === undefined ? 'UnknownError' : shortName(type),
    message ?? `${service} answered with the status ${status} and no message`,
    status,
    details,
  );
}

/** The members of a JSON object; none for any other value. */
export function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

function parseOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** `com.amazonaws.dynamodb.v20120810#ThrottlingException` or `ConflictException:http://…` → the name alone. */
function shortName(type: string): string {
  const name = type.slice(type.indexOf('#') + 1);
  return name.split(':')[0] ?? name;
}
