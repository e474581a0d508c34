import { makeSigningSecret, secretPrefix } from '../../../shared/domain/signing-secret.ts';
import { makeId } from '../../../shared/domain/ids.ts';
import type { Endpoint } from '../../../shared/domain/endpoint.ts';
import { sealed } from '../memory/secret-box.ts';
import { functions } from './functions.ts';
import type { ApiCall } from './journal.ts';
import type { Action } from './script.ts';
import type { World } from './world.ts';
