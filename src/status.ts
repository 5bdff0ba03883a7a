/** A status of ADBC 1.1.0 without its `ADBC_STATUS_` prefix; `OK` is no error and so is absent. */
export type Status =
  | 'UNKNOWN'
  | 'NOT_IMPLEMENTED'
  | 'NOT_FOUND'
  | 'ALREADY_EXISTS'
  | 'INVALID_ARGUMENT'
  | 'INVALID_STATE'
  | 'INVALID_DATA'
  | 'INTEGRITY'
  | 'INTERNAL'
  | 'IO'
  | 'CANCELLED'
  | 'TIMEOUT'
  | 'UNAUTHENTICATED'
  | 'UNAUTHORIZED';

/** What one status is called elsewhere. */
export interface StatusCodes {
  /** ADBC's number, `ADBC_STATUS_*`. */
  readonly adbc: number;
  /** gRPC's status code. */
  readonly grpc: number;
  /** HTTP's status code. */
  readonly http: number;
  /** Exit code of the command: 1 failed, 2 usage, 3 cannot connect or authenticate, 4 time-out or limit, 130 interrupted. */
  readonly exit: number;
}

/** Every status with its codes: the one table that drivers, server and command share. */
export const statusCodes: { readonly [S in Status]: StatusCodes } = {
  UNKNOWN: { adbc: 1, grpc: 2, http: 500, exit: 1 },
  NOT_IMPLEMENTED: { adbc: 2, grpc: 12, http: 501, exit: 1 },
  NOT_FOUND: { adbc: 3, grpc: 5, http: 404, exit: 1 },
  ALREADY_EXISTS: { adbc: 4, grpc: 6, http: 409, exit: 1 },
  INVALID_ARGUMENT: { adbc: 5, grpc: 3, http: 400, exit: 1 },
  INVALID_STATE: { adbc: 6, grpc: 9, http: 409, exit: 1 },
  INVALID_DATA: { adbc: 7, grpc: 15, http: 422, exit: 1 },
  INTEGRITY: { adbc: 8, grpc: 10, http: 409, exit: 1 },
  INTERNAL: { adbc: 9, grpc: 13, http: 500, exit: 1 },
  IO: { adbc: 10, grpc: 14, http: 503, exit: 1 },
  CANCELLED: { adbc: 11, grpc: 1, http: 499, exit: 130 },
  TIMEOUT: { adbc: 12, grpc: 4, http: 504, exit: 4 },
  UNAUTHENTICATED: { adbc: 13, grpc: 16, http: 401, exit: 3 },
  UNAUTHORIZED: { adbc: 14, grpc: 7, http: 403, exit: 3 },
};
