import {
  createOrganization,
  type NewOrganization,
} from '../../../shared/use-cases/accounts/manage-organizations.ts';

type Storage = Parameters<typeof createOrganization>[0];

/** An ordinary organization with these overrides. */
export function newOrganization(storage: Storage, wanted: Partial<NewOrganization> = {}) {
  return createOrganization(storage, { name: 'Test', plan: 'free', overrides: {}, mode: 'test', ...wanted });
}
