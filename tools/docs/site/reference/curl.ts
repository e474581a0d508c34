import type { OperationText, ParameterText } from './open-api.ts';

const address = 'https://api.example.com';

/** The request of an operation as a command. Path parameters have their examples. */
export function curlCommand(method: string, path: string, operation: OperationText): string {
  const isPublic = operation.security?.length === 0;
  const example = Object.values(operation.requestBody.content)[0]?.example;
  const lines = [
    `curl${method === 'GET' ? '' : ` -X ${method}`} ${address}${filled(path, operation.parameters)}`,
    ...(isPublic ? [] : ['-H "Authorization: Bearer $API_KEY"']),
    ...(example === undefined ? [] : ["-H 'Content-Type: application/json'", `-d '${argument(example)}'`]),
  ];
  return lines.join(' \\\n  ');
}

/** JSON in single quotes of a shell. */
function argument(value: unknown): string {
  const text = JSON.stringify(value, null, 2) ?? '';
  return text.replaceAll("'", "'\\''").replaceAll('\n', '\n  ');
}

function filled(path: string, parameters: readonly ParameterText[]): string {
  return path.replace(/\{(\w+)\}/g, (placeholder, name: string) => {
    const example = parameters.find((each) => each.in === 'path' && each.name === name)?.example;
    return typeof example === 'string' ? example : placeholder;
  });
}
