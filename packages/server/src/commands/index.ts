import { archive } from './archive/archive.ts';
import { capture } from './capture/capture.ts';
import type { Command } from './command.ts';
import { config } from './config.ts';
import { doctor } from './doctor/doctor.ts';
import { helpFor } from './help.ts';
import { keys } from './keys/keys.ts';
import { build } from './remote/build.ts';
import { get } from './remote/get.ts';
import { mcp } from './remote/mcp.ts';
import { tail } from './remote/tail.ts';
import { top } from './remote/top.ts';
import { replay } from './replay.ts';
import { serve } from './serve.ts';
import { sim } from './sim.ts';
import { ticks } from './ticks/ticks.ts';
import { versionCommand } from './version.ts';

export const commands: readonly Command[] = [
  serve,
  config,
  doctor,
  keys,
  sim,
  capture,
  replay,
  ticks,
  archive,
  get,
  tail,
  top,
  build,
  mcp,
  versionCommand,
  helpFor(() => commands),
];
export const defaultCommand = serve;
