// Loaded before every program that talks to the emulator, and before every function.
import http from 'node:http';
import https from 'node:https';
import { syncBuiltinESMExports } from 'node:module';

// Receivers are on this machine, and a function that sees that it runs in Lambda refuses the setting that allows that.
const { env } = process;
const hidden = env.EMULATED_FUNCTIONS === '1' ? ['AWS_LAMBDA_FUNCTION_NAME', 'AWS_EXECUTION_ENV'] : [];
const seen = new Proxy(env, {
  get: (target, name) => (hidden.includes(name) ? undefined : target[name]),
  has: (target, name) => !hidden.includes(name) && name in target,
  set: (target, name, value) => Reflect.set(target, name, value),
});
Object.defineProperty(process, 'env', { value: seen });

// An API has an address of AWS, https://<id>.execute-api.<region>.amazonaws.com: the emulator answers it.
const { hostname, port, origin } = new URL(env.AWS_ENDPOINT_URL ?? 'http://127.0.0.1:4566');
const pathOf = (host, path) => {
  const [, id] = /^([0-9a-z]+)\.execute-api\./.exec(host ?? '') ?? [];
  return id && `/_aws/execute-api/${id}${path}`;
};
const { request } = https;
// Each request starts a function, so a program's limit on requests at once has to hold here too.
const agents = new Map();
const agentLike = ({ maxSockets }) => {
  const agent = agents.get(maxSockets) ?? new http.Agent({ keepAlive: true, maxSockets });
  agents.set(maxSockets, agent);
  return agent;
};
https.request = (options, ...rest) => {
  const path = pathOf(options.hostname, options.path);
  if (path === undefined) return request(options, ...rest);
  const agent = options.agent && agentLike(options.agent);
  return http.request({ ...options, hostname, port, path, agent }, ...rest);
};
syncBuiltinESMExports();
const { fetch } = globalThis;
globalThis.fetch = (given, init) => {
  const asked = new Request(given, init);
  const url = new URL(asked.url);
  const path = pathOf(url.hostname, url.pathname + url.search);
  return fetch(path === undefined ? asked : new Request(new URL(path, origin), asked));
};
