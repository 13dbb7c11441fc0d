/** An article of the demo magazine. `next`: paths of pages that it leads to. */
export type Article = {
  path: string;
  title: string;
  day: string;
  summary: string;
  text: readonly string[];
  next: readonly string[];
};

export const articles: readonly Article[] = [
  {
    path: 'baking/first-loaf',
    title: 'Your first loaf',
    day: '2026-09-03',
    summary: 'Four ingredients, one bowl and an afternoon at home.',
    text: [
      'Mix 500 grams of flour with 350 grams of water, ten grams of salt and three grams of dry yeast. Stir until no dry flour is left, cover the bowl, and wait an hour.',
      'Fold the dough over itself four times, wait another hour, and shape it on a floured table. Bake it for forty minutes in a pot with a lid, at 240 degrees, the last fifteen minutes without the lid.',
    ],
    next: ['baking/reading-the-crumb', 'shop/tools/bread-pot', 'shop/flour/strong-white'],
  },
  {
    path: 'baking/keeping-a-starter',
    title: 'Keeping a starter alive',
    day: '2026-09-10',
    summary: 'It needs less attention than a cat, and more than a cactus.',
    text: [
      'A starter is flour and water in which wild yeast has settled. Feed it the day before you bake: one part starter, five parts flour, five parts water.',
      'Between two loaves it sleeps in the refrigerator. Grey liquid on top is alcohol, and harmless; pink stripes are not, and mean that you start again.',
    ],
    next: ['baking/rye-in-winter', 'shop/tools/glass-jar'],
  },
  {
    path: 'baking/reading-the-crumb',
    title: 'Reading the crumb',
    day: '2026-09-17',
    summary: 'What holes, cracks and pale crusts say about the dough.',
    text: [
      'Large holes above a dense layer mean that the dough has risen too short a time. Small, even holes are a sign of strong kneading, as in bread for sandwiches.',
      'A loaf that spreads instead of rising had too much water for its flour, or too little tension when it was shaped.',
    ],
    next: ['baking/first-loaf', 'baking/why-salt'],
  },
  {
    path: 'baking/rye-in-winter',
    title: 'Rye in winter',
    day: '2026-10-01',
    summary: 'A dark bread that is best on its third day.',
    text: [
      'Rye has little gluten, so it is not kneaded but stirred. The acid of a starter keeps its starch from turning to glue in the oven.',
      'Wrap the loaf in linen once it is cold, and do not cut it before the next morning. It keeps for ten days.',
    ],
    next: ['baking/keeping-a-starter', 'shop/flour/whole-rye', 'places/the-mill-at-aubel'],
  },
  {
    path: 'baking/why-salt',
    title: 'Why there is salt in bread',
    day: '2026-10-08',
    summary: 'Taste is the smaller reason.',
    text: [
      'Salt slows yeast down, which leaves more time for flavour, and it tightens gluten, so that a loaf holds its shape. Two percent of the weight of the flour is the usual amount.',
      'Tuscan bread has none, which is why it is eaten with ham that has plenty.',
    ],
    next: ['baking/reading-the-crumb', 'shop/flour/sea-salt'],
  },
  {
    path: 'places/the-mill-at-aubel',
    title: 'The mill at Aubel',
    day: '2026-10-15',
    summary: 'Two stones, one river, and a miller who also repairs clocks.',
    text: [
      'The stones turn at ninety rounds a minute. Faster ones would warm the grain, and warm flour turns rancid within weeks.',
      'On Saturdays visitors may fill their own bags. The miller writes the field on each of them, and knows the farmer by name.',
    ],
    next: ['places/a-night-in-a-bakery', 'shop/flour/stone-ground'],
  },
  {
    path: 'places/a-night-in-a-bakery',
    title: 'A night in a bakery',
    day: '2026-10-22',
    summary: 'From ten in the evening to the first customer at six.',
    text: [
      'At ten the dough of the afternoon is divided, by hand and without scales: each piece is within five grams of the next. At two the oven is loaded for the first time.',
      'By six there are four hundred rolls in the shop, and the baker drinks his first coffee, which he calls dinner.',
    ],
    next: ['places/ovens-of-the-village', 'shop/tools/dough-scraper'],
  },
  {
    path: 'places/ovens-of-the-village',
    title: 'Ovens of the village',
    day: '2026-10-29',
    summary: 'They are lit twice a year, and everyone brings a loaf.',
    text: [
      'Heating the vault takes a day and a cart of beech. Pizza goes in first, then bread, then cakes, and at night a pot of beans.',
      'Each family had its mark, cut into the crust with a knife. The marks are still on a board beside the door.',
    ],
    next: ['places/the-mill-at-aubel', 'shop/tools/proofing-basket'],
  },
  {
    path: 'places/bread-on-a-boat',
    title: 'Bread on a boat',
    day: '2026-11-05',
    summary: 'A galley, a gas stove, and dough that moves by itself.',
    text: [
      'On a small boat there is no oven, so the skipper bakes in a pan with a lid: twelve minutes on each side, over the smallest flame.',
      'Sea water is too salty for dough. One part of it to three parts of fresh water is about right.',
    ],
    next: ['baking/why-salt', 'shop/tools/bread-pot'],
  },
  {
    path: 'places/market-at-dawn',
    title: 'The market at dawn',
    day: '2026-11-12',
    summary: 'Where bakers buy butter, and what they pay for it.',
    text: [
      'The hall opens at three. Butter is judged with a hollow needle: it should smell of hay, and break rather than smear.',
      'By seven the last crates are sold at half price, to those who bake for themselves.',
    ],
    next: ['places/a-night-in-a-bakery', 'shop/delivery'],
  },
];
