import { catalogue, type ErrorCode, errorCodes } from '../../shared/errors.ts';
import { guideList } from './guide-list.ts';
import type { GuidePage } from './guide-pages.ts';
import { headingsIn, slug } from './headings.ts';
import type { Contents } from './page.ts';
import { operations, operationTags } from './reference.ts';

/** All pages of the guide, with the sections of the current one, and the parts of the reference. */
export function guideContents(current?: GuidePage): Contents {
  const sections = headingsIn(current?.markdown ?? '').filter(({ depth }) => depth === 2);
  const own = sections.map(({ title }) => ({ to: `#${slug(title)}`, label: title.replaceAll('`', '') }));
  const guide = Object.entries(guideList).map(([title, entries]) => ({
    title,
    links: entries.map(({ name, title: label }) =>
      name === current?.name
        ? { to: name, label, isCurrent: true, sections: own }
        : { to: name, label, isCurrent: false },
    ),
  }));
  const reference = referenceLinks.map((link) => ({ ...link, isCurrent: link.to === current?.name }));
  return [...guide, { title: 'Reference', links: reference }];
}

/** All operations by tag. */
export function operationContents(current?: string): Contents {
  const byTag = operationTags.map((tag) => ({
    title: tag,
    links: operations
      .filter((route) => route.tag === tag)
      .map(({ operationId, summary }) => ({
        to: operationId,
        label: summary,
        isCurrent: operationId === current,
      })),
  }));
  return [{ title: 'Documentation', links: [...ways, ...details] }, ...byTag];
}

/** All error codes by status. */
export function errorContents(current: ErrorCode): Contents {
  const byStatus = Object.entries(Object.groupBy(errorCodes, (code) => catalogue[code].status));
  const codes = byStatus.map(([status, same = []]) => ({
    title: `${status} ${catalogue[same[0] ?? current].title}`,
    links: same.map((code) => ({ to: `errors/${code}`, label: code, isCurrent: code === current })),
  }));
  return [{ title: 'Documentation', links: [...ways, ...details] }, ...codes];
}

const ways = [
  { to: 'api-guide', label: 'Guide' },
  { to: 'reference', label: 'Reference' },
  { to: 'programs', label: 'Whole programs' },
];

const details = [
  { to: 'headers', label: 'Headers' },
  { to: 'errors', label: 'Errors' },
];

const referenceLinks = [
  { to: 'programs', label: 'Whole programs' },
  ...operationTags.map((tag) => ({ to: `reference#${tag.toLowerCase()}`, label: tag })),
  ...details,
];
