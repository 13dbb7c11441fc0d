/** What the demo magazine sells. `about`: paths of articles. */
export type Product = {
  path: string;
  name: string;
  euros: number;
  text: string;
  facts: readonly (readonly [name: string, value: string])[];
  about: readonly string[];
};

export const products: readonly Product[] = [
  {
    path: 'shop/tools/bread-pot',
    name: 'Bread pot',
    euros: 79,
    text: 'A pot of cast iron, whose lid keeps the steam of the loaf inside. Heat it before the dough goes in.',
    facts: [
      ['Volume', '4.2 litres'],
      ['Weight', '5.1 kg'],
    ],
    about: ['baking/first-loaf', 'places/bread-on-a-boat'],
  },
  {
    path: 'shop/tools/proofing-basket',
    name: 'Proofing basket',
    euros: 18,
    text: 'Woven from cane. It takes moisture from the surface of the dough, and leaves its rings on the crust.',
    facts: [
      ['Diameter', '24 cm'],
      ['For', '1 kg of dough'],
    ],
    about: ['places/ovens-of-the-village'],
  },
  {
    path: 'shop/tools/dough-scraper',
    name: 'Dough scraper',
    euros: 6,
    text: 'A curved blade of beech that divides dough, cleans bowls and lifts what sticks.',
    facts: [['Length', '12 cm']],
    about: ['places/a-night-in-a-bakery'],
  },
  {
    path: 'shop/tools/glass-jar',
    name: 'Jar for a starter',
    euros: 9,
    text: 'With a loose lid, for a starter needs air, and with lines that show how far it has risen.',
    facts: [['Volume', '0.7 litres']],
    about: ['baking/keeping-a-starter'],
  },
  {
    path: 'shop/tools/linen-cloth',
    name: 'Linen cloth',
    euros: 14,
    text: 'Unbleached and heavy. Dough does not stick to it, and bread that is wrapped in it keeps its crust.',
    facts: [['Size', '60 × 90 cm']],
    about: ['baking/rye-in-winter'],
  },
  {
    path: 'shop/flour/strong-white',
    name: 'Strong white flour',
    euros: 4,
    text: 'Wheat with thirteen percent protein, for loaves that rise high.',
    facts: [
      ['Weight', '1.5 kg'],
      ['Protein', '13%'],
    ],
    about: ['baking/first-loaf'],
  },
  {
    path: 'shop/flour/whole-rye',
    name: 'Whole rye flour',
    euros: 5,
    text: 'The whole grain, coarsely ground, for dark bread.',
    facts: [
      ['Weight', '1.5 kg'],
      ['Protein', '8%'],
    ],
    about: ['baking/rye-in-winter'],
  },
  {
    path: 'shop/flour/stone-ground',
    name: 'Stone-ground wheat',
    euros: 6,
    text: 'From the mill at Aubel, with the date of milling on the bag.',
    facts: [['Weight', '2.5 kg']],
    about: ['places/the-mill-at-aubel'],
  },
  {
    path: 'shop/flour/spelt',
    name: 'Spelt flour',
    euros: 6,
    text: 'Tastes of nuts, and wants gentle hands: its gluten tears easily.',
    facts: [['Weight', '1 kg']],
    about: ['baking/reading-the-crumb'],
  },
  {
    path: 'shop/flour/sea-salt',
    name: 'Sea salt',
    euros: 3,
    text: 'Coarse and grey. Dissolve it in the water before the flour goes in.',
    facts: [['Weight', '500 g']],
    about: ['baking/why-salt'],
  },
];
