import type { StoredRequest } from '#shared/domain/request-key.ts';
import { keyedScripts } from '../scripts.ts';
import { mutants } from './mutant.ts';

/** Mistakes in what is stored of requests with an `Idempotency-Key`. */
export const keyMutants = mutants(
  {
    everyJobWasRequested: {
      'key that is not stored': () => ({ beginRequest: async () => null }),
    },
    aRequestMakesAtMostOneEndpoint: {
      'key that is free after every failure': ({ changeRequest }) => ({
        changeRequest: (key, token, change) =>
          changeRequest(key, token, change.isFree === undefined ? change : { ...change, isFree: true }),
      }),
    },
    everyReplayWasRequested: {
      'ids of each try': ({ continueRequest, now }) => ({
        continueRequest: async (...given) => {
          const left = await continueRequest(...given);
          return left && { ...left, begunAt: now() };
        },
      }),
    },
    anAnsweredSecretIsThatOfItsEndpoint: {
      'secret of each try': ({ continueRequest }) => ({
        continueRequest: async (...given) => {
          const left = await continueRequest(...given);
          return left && { ...left, secret: null };
        },
      }),
    },
    allAnswersUnderAKeyAreTheSame: {
      'request continued as it was read': ({ beginRequest, continueRequest }) => {
        let read: StoredRequest | null = null;
        return {
          beginRequest: async (...given) => {
            read = await beginRequest(...given);
            return read;
          },
          continueRequest: async (...given) => ((await continueRequest(...given)) === null ? null : read),
        };
      },
    },
    whatWasAnsweredIsNotRefusedLater: {
      'answer that is not kept': ({ changeRequest }) => ({
        changeRequest: (key, token, change) =>
          changeRequest(key, token, change.answer === undefined ? change : { leaseUntil: 0, isFree: true }),
      }),
    },
  },
  keyedScripts,
);
