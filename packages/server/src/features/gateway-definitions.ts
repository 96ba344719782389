import type { GatewayDefinitions } from '../gateway/asyncapi.ts';
import { gatewayChannels } from './channels.ts';
import { buildDefinition } from './rotations/build-operation.ts';
import { schemas } from './schemas.ts';
import { tapeFrames } from './tape/frames.ts';

/** Everything that features add to the gateway, for its AsyncAPI document. */
export const gatewayDefinitions: GatewayDefinitions = {
  channels: gatewayChannels,
  operations: [buildDefinition],
  frames: tapeFrames,
  schemas,
};
