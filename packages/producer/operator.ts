/** Calls the functions of a stage that only its operator may invoke: customers, their API keys and portal links. */

/** The part of the AWS SDK's aggregated client `Lambda` that is used. */
export type LambdaPort = {
  readonly invoke: (input: { readonly FunctionName: string; readonly Payload: string }) => Promise<{
    readonly FunctionError?: string | undefined;
    readonly Payload?: Uint8Array | undefined;
  }>;
};

export type NewCustomer = {
  /** Your name for it, which the customer never sees. 1 to 200 characters. */
  readonly name: string;
  /** The name that the customer sees. 1 to 200 characters. */
  readonly public_name?: string | undefined;
  /** Your own id for it, which no other customer has. 1 to 128 visible ASCII characters. */
  readonly reference?: string | undefined;
  /** At most 16 members, with names of at most 40 and values of at most 200 characters. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
};

export type Customer = {
  /** `cus_…` */
  readonly id: string;
  readonly name: string;
  readonly public_name: string | null;
  readonly reference: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly created_at: string;
};

export type ApiKey = {
  /** `aky_…` */
  readonly id: string;
  readonly customer_id: string;
  /** Its first characters. */
  readonly prefix: string;
  readonly created_at: string;
  readonly revoked_at: string | null;
};

export type NewPortalLink = {
  readonly customer_id: string;
  /** Until it ends: 1 to 1440, 60 by default. */
  readonly minutes?: number | undefined;
  readonly read_only?: boolean | undefined;
  /** The page of the console that it opens, such as `/endpoints/whe_…`: what follows `#` in its address. */
  readonly to?: string | undefined;
};

export type PortalLink = {
  /** `plk_…` */
  readonly id: string;
  readonly customer_id: string;
  readonly created_at: string;
  readonly expires_at: string;
  readonly read_only: boolean;
  readonly revoked_at: string | null;
  /** Signs in everyone who has it. Redirect to it; do not store or log it. */
  readonly url: string;
};

/** Which page of a list: at most `limit` records, 25 by default and 100 at most, after `next_cursor` of another page. */
export type PageOf = { readonly limit?: number | undefined; readonly cursor?: string | undefined };

/** The newest records first. `next_cursor` is null on the last page. */
export type Page<Record> = { readonly items: readonly Record[]; readonly next_cursor: string | null };

type Calls = {
  /**
   * Creates a customer. If one has the `reference`, it is the answer, as it is, and `created` is false. Without a
   * `reference`, each call creates another one.
   */
  createCustomer: [NewCustomer, Customer & { readonly created: boolean }];
  /** With `reference`, the one customer that has it. */
  listCustomers: [PageOf & { readonly reference?: string | undefined }, Page<Customer>];
  /** Creates a key. The same `idempotency_key` of a customer gets the same answer again for 24 hours. */
  createApiKey: [
    { readonly customer_id: string; readonly idempotency_key: string },
    ApiKey & { readonly api_key: string },
  ];
  listApiKeys: [PageOf & { readonly customer_id: string }, Page<ApiKey>];
  /** Ends a key for good, from the next request on. */
  revokeApiKey: [{ readonly customer_id: string; readonly key_id: string }, ApiKey];
  createPortalLink: [NewPortalLink, PortalLink];
};

export type Operator = {
  readonly [Name in keyof Calls]: (request: Calls[Name][0]) => Promise<Calls[Name][1]>;
};

/** A function refused a call, which has to be corrected. Any other error of a call: make it again. */
export class CallRefused extends Error {
  override readonly name = 'CallRefused';
  /** `InvalidRequest`, `CustomerNotFound`, `ApiKeyNotFound` or `ReferenceInUse`. */
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

const refusals = ['InvalidRequest', 'CustomerNotFound', 'ApiKeyNotFound', 'ReferenceInUse'];

/**
 * @param functions the output `OperatorFunctions` of the stack `webhooks-<stage>-api`, as it is
 * @throws TypeError when it is missing, or something else
 */
export function connectOperator(lambda: LambdaPort, functions: string | undefined): Operator {
  const names = namesIn(functions);
  const call =
    <Name extends keyof Calls>(name: Name) =>
    async (request: Calls[Name][0]): Promise<Calls[Name][1]> => {
      const FunctionName = names.get(name);
      if (FunctionName === undefined)
        throw new TypeError(`The names of the functions have no ${name}: read the output of the stack again`);
      const input = { FunctionName, Payload: JSON.stringify(request) };
      const { FunctionError: fault, Payload } = await lambda.invoke(input);
      const answer = JSON.parse(new TextDecoder().decode(Payload));
      if (fault === undefined) return answer;
      // A function that was ended, such as at its timeout, gives no type.
      const { errorType = fault, errorMessage } = answer;
      if (refusals.includes(errorType)) throw new CallRefused(errorType, errorMessage);
      throw new Error(`${input.FunctionName} failed with ${errorType}: ${errorMessage}`);
    };
  return {
    createCustomer: call('createCustomer'),
    listCustomers: call('listCustomers'),
    createApiKey: call('createApiKey'),
    listApiKeys: call('listApiKeys'),
    revokeApiKey: call('revokeApiKey'),
    createPortalLink: call('createPortalLink'),
  };
}

function namesIn(functions: string | undefined): ReadonlyMap<string, string> {
  const entries = Object.entries(parsed(functions)).filter(([, name]) => typeof name === 'string');
  if (entries.length > 0) return new Map(entries);
  throw new TypeError(
    'There are no names of functions: give the output OperatorFunctions of the stack webhooks-<stage>-api, as it is',
  );
}

function parsed(functions = ''): object {
  try {
    return Object(JSON.parse(functions));
  } catch {
    return {};
  }
}
