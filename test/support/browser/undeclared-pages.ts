import { documents, type Document } from './undeclared-documents.ts';
import answers from '../../fixtures/undeclared-pages.json' with { type: 'json' };

/** Pages without a charset in many languages, with the one as which Chromium reads each. */
export function undeclaredPages(): (Document & { name: string; chromium: string })[] {
  const all = new Map(documents().map((each) => [nameOf(each), each]));
  return answers.map((answer) => {
    const chromium = answer.at(-1) ?? '';
    const name = answer.slice(0, -1).join(', ');
    const page = all.get(name);
    if (page === undefined) throw new Error(`There is no page "${name}".`);
    return { ...page, name, chromium };
  });
}

const nameOf = ({ language, charset, shape, isHeldOut }: Document) =>
  `${language}, ${charset}, ${shape}, ${isHeldOut ? 'held out' : 'trained'}`;
