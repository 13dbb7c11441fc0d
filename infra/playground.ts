import type { Stage } from './stages.ts';

/** The URL of the dashboard, if the stage sets it: its playground may then call the API from a browser. */
export function playgroundVariables(stage: Stage) {
  const url = dashboardOf(stage);
  return url === undefined ? {} : { DASHBOARD_URL: url };
}

/** The origin of the pages that may then read responses. */
export function webOriginOf(stage: Stage): string | undefined {
  const url = dashboardOf(stage);
  return url && new URL(url).origin;
}

const dashboardOf = ({ dashboardDomain, dashboardUrl }: Stage) =>
  dashboardDomain ? `https://${dashboardDomain.name}` : dashboardUrl;
