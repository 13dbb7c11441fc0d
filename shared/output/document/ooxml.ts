import { parseXml } from '../../html/parse-xml.ts';
import { type About } from './html.ts';
import { aboutIn, all } from './xml.ts';
import { type Archive, resolvedName } from './zip.ts';

export type Relation = { target: string; type: string; isExternal: boolean };

/** What a part of an Office file refers to, by id: ECMA-376, part 2, section 6.5. */
export function relationsOf(archive: Archive, part: string): Map<string, Relation> {
  const at = part.lastIndexOf('/') + 1;
  const xml = parseXml(archive.text(`${part.slice(0, at)}_rels/${part.slice(at)}.rels`));
  const relations = all(xml, 'Relationship').map((element): [string, Relation] => {
    const { Id: id = '', Target: target = '', Type: type = '' } = element.attribs;
    const isExternal = element.attribs.TargetMode === 'External';
    return [id, { target: isExternal ? target : resolvedName(part, target), type, isExternal }];
  });
  return new Map(relations);
}

/** The part that a file begins with, such as `word/document.xml`. */
export function mainPart(archive: Archive): string {
  const relations = [...relationsOf(archive, '').values()];
  return relations.find(({ type }) => type.endsWith('/officeDocument'))?.target ?? '';
}

export function aboutOfOffice(archive: Archive): About {
  return aboutIn(parseXml(archive.text('docProps/core.xml')));
}

/** Where a relation leads outside of the file. */
export function hrefOf(relations: ReadonlyMap<string, Relation>, id: string | undefined): string | undefined {
  const relation = relations.get(id ?? '');
  return relation?.isExternal ? relation.target : undefined;
}
