/** For short calls: without these the SDK waits forever. Apart from its clients, which bundles would take. */
export const TIMEOUTS = {
  connectionTimeout: 1_000,
  requestTimeout: 2_000,
  socketTimeout: 2_000,
  throwOnRequestTimeout: true,
};
