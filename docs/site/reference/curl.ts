import type { OperationText, ParameterText } from './open-api.ts';

const address = 'https://api.example.com';

/** The request of an operation as a command. Path parameters have their examples. */
export function curlCommand(method: string, path: string, operation: OperationText): string {
  const isPublic = operation.security?.length === 0;
  const body = Object.values(operation.requestBody?.content ?? {})[0];
  const example = body?.example ?? Object.values(body?.examples ?? {})[0]?.value;
  const lines = [
    `curl${method === 'GET' ? '' : ` -X ${method}`} ${address}${filled(path, operation.parameters)}`,
    ...(isPublic ? [] : ['-H "Authorization: Bearer $API_KEY"']),
    ...(example === undefined
      ? []
      : ["-H 'Content-Type: application/json'", `-d '${JSON.stringify(example).replaceAll("'", "'\\''")}'`]),
  ];
  return lines.join(' \\\n  ');
}

function filled(path: string, parameters: readonly ParameterText[]): string {
  return path.replace(/\{(\w+)\}/g, (placeholder, name: string) => {
    const parameter = parameters.find((each) => each.in === 'path' && each.name === name);
    const example = parameter?.example ?? parameter?.schema?.examples?.[0] ?? parameter?.schema?.example;
    return typeof example === 'string' ? example : placeholder;
  });
}
