/** A request to build. */
export interface BuildClaim {
  readonly id: string;
  readonly specHash: string;
  readonly caller: string;
  readonly address: string;
}

/** Most builds that wait or run at a time. */
export interface LiveMax {
  readonly caller: number;
  /** Builds of the address, with any keys. */
  readonly address: number;
  /** Builds of the network: a /48, or a /24 of IPv4. */
  readonly network: number;
  readonly all: number;
}

/** Granted, already being built under another id, or too many. */
export type Claimed = { readonly verdict: 'yours' | keyof LiveMax } | { readonly knownId: string };

/** Coordinates builds between gateways. */
export interface BuildCoordinator {
  /** The id of this process among all that share the coordinator. */
  readonly owner: string;
  claim(claim: BuildClaim): Promise<Claimed>;
  /** Ends a build; identical requests get it only if it is reusable. */
  end(build: Pick<BuildClaim, 'id' | 'specHash'>, isReusable: boolean): Promise<void>;
  isAlive(owner: string): Promise<boolean>;
  stop(): void;
}
