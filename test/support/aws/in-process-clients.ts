import { type DecryptCommand, EncryptCommand, KMSClient } from '@aws-sdk/client-kms';
import { ConflictException, type CreateScheduleCommand, SchedulerClient } from '@aws-sdk/client-scheduler';
import { AwsError } from '../../../tools/local/aws/aws-api.ts';
import { createSchedule, type Schedules } from '../../../tools/local/aws/scheduler/create-schedule.ts';
import type { Io } from '../table/io.ts';
import { testKeys } from '../values/sealed-secrets.ts';

/** A client of the SDK that makes no request. @param serve answers a command */
export function servedClient<Client, Command>(
  prototype: Client & object,
  serve: (command: Command) => Promise<unknown>,
): Client {
  return Object.assign(Object.create(prototype), { send: serve });
}

/** The local KMS in this process. */
export function keysClient(io: Io): KMSClient {
  return servedClient(KMSClient.prototype, (command: EncryptCommand | DecryptCommand) => {
    const { KeyId = '', EncryptionContext = {} } = command.input;
    return command instanceof EncryptCommand
      ? io({ service: 'kms', name: 'encrypt' }, () =>
          testKeys.encrypt({ KeyId, Plaintext: bytesOf(command.input.Plaintext), EncryptionContext }),
        )
      : io({ service: 'kms', name: 'decrypt' }, () =>
          testKeys.decrypt({
            KeyId,
            CiphertextBlob: bytesOf(command.input.CiphertextBlob),
            EncryptionContext,
          }),
        );
  });
}

const bytesOf = (bytes: Uint8Array | undefined): Buffer => Buffer.from(bytes ?? []);

/** The local Scheduler in this process. @param makeToken makes the token of a call that names none, as the SDK does */
export function schedulesClient(io: Io, schedules: () => Schedules, makeToken: () => string): SchedulerClient {
  return servedClient(SchedulerClient.prototype, ({ input }: CreateScheduleCommand) => {
    const call = { ClientToken: makeToken(), ...input };
    return io({ service: 'scheduler', name: `schedule ${input.Name}` }, () => {
      try {
        return createSchedule(schedules(), call);
      } catch (error) {
        const isConflict = error instanceof AwsError && error.code === 'ConflictException';
        if (!isConflict) throw error;
        throw new ConflictException({ message: error.message, Message: error.message, $metadata: {} });
      }
    });
  });
}
