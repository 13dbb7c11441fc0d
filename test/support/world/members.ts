import { hidden, newDashboard, PASSWORD } from './visitor.ts';

type Visitor = ReturnType<ReturnType<typeof newDashboard>['newVisitor']>;

export const linkIn = (html: string) =>
  /https:\/\/account\.example\.com\/prod\/join#[\w-]{43}/.exec(html)?.[0] ?? '';

/** An organization with Ada as its admin, who invites others. */
export async function organization(founder = 'ada@example.com', dashboard = newDashboard()) {
  const { world, newVisitor, codeOf } = dashboard;
  const ada = newVisitor();
  await ada.join(founder);
  const found = async (email: string) => {
    const lists = (await world.organizations.list()).map(({ id }) => world.people.membersOf(id));
    return (await Promise.all(lists)).flat().find((person) => person.email === email);
  };
  const idOf = async (email: string) => (await found(email))?.id ?? '';
  const roleOf = async (email: string) => (await found(email))?.role;
  const invite = async (by: Visitor = ada, button = '') => {
    const once = hidden((await by.get('/members')).html, 'once');
    return by.submit('/members', { once, button });
  };
  const accept = async (invitation: string, email: string) => {
    const visitor = newVisitor();
    const sent = await visitor.submit('/join', { invitation, email, password: PASSWORD });
    if (sent.status !== 303) return { visitor, shown: sent };
    return { visitor, shown: await visitor.submit('/confirm', { code: codeOf(email) }) };
  };
  /** Joins by a link of Ada's. */
  const newMember = async (email: string, button = '') =>
    (await accept(linkIn((await invite(ada, button)).html), email)).visitor;
  const loneId = async () => (await world.organizations.list())[0]?.id ?? '';
  return { ...dashboard, ada, idOf, roleOf, found, invite, accept, newMember, loneId };
}
