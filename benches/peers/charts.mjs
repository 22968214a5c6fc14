// Times the five typical charts in Apache ECharts and Vega, for charts.py: node charts.mjs FOLDER.
// FOLDER holds works.json and node_modules; it takes a PNG of each. Prints JSON, milliseconds.
import { createRequire } from "node:module";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const folder = resolve(process.argv[2]);
const require = createRequire(pathToFileURL(join(folder, "package.json")));
const echarts = require("echarts");
const sharp = require("sharp");
const vega = await import(pathToFileURL(join(folder, "node_modules/vega/build/vega.module.js")));
const works = JSON.parse(readFileSync(join(folder, "works.json"), "utf8"));
const LASTS = 1500, WIDTH = 800, HEIGHT = 500;
const TITLE = "A title as people write them", SUBTITLE = "Measure and unit";
const series = data => Object.keys(data[0]).filter(key => key !== "label");

const option = {
  W1: data => ({ legend: { top: 62 }, grid: { top: 100 }, xAxis: { type: "category", data: data.map(it => it.label) }, yAxis: {},
    series: series(data).map(name => ({ name, type: "bar", label: { show: true, position: "top" }, data: data.map(it => it[name]) })) }),
  W2: data => ({ legend: { top: 62 }, grid: { top: 100 }, xAxis: { type: "category", data: data.map(it => it.label) }, yAxis: { scale: true },
    series: series(data).map(name => ({ name, type: "line", showSymbol: false, data: data.map(it => it[name]) })) }),
  W3: data => ({ series: [{ type: "pie", radius: "60%", data: data.map(it => ({ name: it.label, value: it.value })) }] }),
  W4: data => ({ xAxis: { scale: true }, yAxis: { scale: true }, series: [{ type: "scatter", symbolSize: 4, data: data.map(it => [it.x, it.y]) }] }),
  W5: data => ({ xAxis: { type: "time" }, yAxis: { type: "category", inverse: true, data: data.map(it => it.label), axisLabel: { interval: 0 } },
    series: [{ type: "custom", encode: { x: [1, 2], y: 0 }, data: data.map((it, at) => [at, it.start, it.end]),
      renderItem: (_, api) => {
        const from = api.coord([api.value(1), api.value(0)]), to = api.coord([api.value(2), api.value(0)]), high = api.size([0, 1])[1] * 0.6;
        return { type: "rect", shape: { x: from[0], y: from[1] - high / 2, width: to[0] - from[0], height: high }, style: { fill: api.visual("color") } };
      } }] }),
};

function drawEcharts(name) {
  const chart = echarts.init(null, null, { renderer: "svg", ssr: true, width: WIDTH, height: HEIGHT });
  chart.setOption({ animation: false, title: { text: TITLE, subtext: SUBTITLE }, ...option[name](works[name]) });
  const svg = chart.renderToSVGString();
  chart.dispose();
  return svg;
}

const scale = (name, type, range, field, more) => ({ name, type, range, domain: { data: "table", field }, ...more });
const axes = [{ orient: "bottom", scale: "x" }, { orient: "left", scale: "y", grid: true }];
const folded = data => ({ name: "table", values: data, transform: [{ type: "fold", fields: series(data) }] });
const spec = {
  W1: data => ({ data: [folded(data)], axes, legends: [{ fill: "color" }],
    scales: [scale("x", "band", "width", "label", { padding: 0.2 }), scale("y", "linear", "height", "value", { nice: true, zero: true }), scale("color", "ordinal", "category", "key")],
    marks: [{ type: "group", from: { facet: { data: "table", name: "facet", groupby: "label" } }, encode: { enter: { x: { scale: "x", field: "label" } } },
      signals: [{ name: "width", update: "bandwidth('x')" }], scales: [{ name: "pos", type: "band", range: "width", domain: { data: "facet", field: "key" } }],
      marks: [
        { type: "rect", from: { data: "facet" }, encode: { enter: { x: { scale: "pos", field: "key" }, width: { scale: "pos", band: 1 }, y: { scale: "y", field: "value" }, y2: { scale: "y", value: 0 }, fill: { scale: "color", field: "key" } } } },
        { type: "text", from: { data: "facet" }, encode: { enter: { x: { scale: "pos", field: "key", band: 0.5 }, y: { scale: "y", field: "value", offset: -3 }, align: { value: "center" }, text: { field: "value" } } } }] }] }),
  W2: data => ({ data: [{ ...folded(data), transform: [{ type: "formula", as: "label", expr: "toNumber(datum.label)" }, ...folded(data).transform] }], axes, legends: [{ stroke: "color" }],
    scales: [scale("x", "linear", "width", "label"), scale("y", "linear", "height", "value", { nice: true, zero: false }), scale("color", "ordinal", "category", "key")],
    marks: [{ type: "group", from: { facet: { data: "table", name: "facet", groupby: "key" } },
      marks: [{ type: "line", from: { data: "facet" }, encode: { enter: { x: { scale: "x", field: "label" }, y: { scale: "y", field: "value" }, stroke: { scale: "color", field: "key" } } } }] }] }),
  W3: data => ({ data: [{ name: "table", values: data, transform: [{ type: "pie", field: "value" }] }], scales: [scale("color", "ordinal", { scheme: "category20" }, "label")],
    marks: [
      { type: "arc", from: { data: "table" }, encode: { enter: { x: { value: 400 }, y: { value: 250 }, startAngle: { field: "startAngle" }, endAngle: { field: "endAngle" }, outerRadius: { value: 160 }, fill: { scale: "color", field: "label" } } } },
      { type: "text", from: { data: "table" }, encode: { enter: { x: { value: 400 }, y: { value: 250 }, radius: { value: 190 }, theta: { signal: "(datum.startAngle + datum.endAngle) / 2" }, align: { value: "center" }, text: { field: "label" } } } }] }),
  W4: data => ({ data: [{ name: "table", values: data }], axes, scales: [scale("x", "linear", "width", "x", { nice: true }), scale("y", "linear", "height", "y", { nice: true })],
    marks: [{ type: "symbol", from: { data: "table" }, encode: { enter: { x: { scale: "x", field: "x" }, y: { scale: "y", field: "y" }, size: { value: 12 }, fill: { value: "#3f90da" } } } }] }),
  W5: data => ({ data: [{ name: "table", values: data, format: { parse: { start: "date", end: "date" } } }], axes,
    scales: [{ name: "x", type: "time", range: "width", domain: { fields: [{ data: "table", field: "start" }, { data: "table", field: "end" }] } }, scale("y", "band", "height", "label", { padding: 0.2 })],
    marks: [
      { type: "rect", from: { data: "table" }, encode: { enter: { x: { scale: "x", field: "start" }, x2: { scale: "x", field: "end" }, y: { scale: "y", field: "label" }, height: { scale: "y", band: 1 }, fill: { value: "#3f90da" } } } },
      { type: "text", from: { data: "table" }, encode: { enter: { x: { scale: "x", field: "end", offset: 4 }, y: { scale: "y", field: "label", band: 0.5 }, baseline: { value: "middle" }, fontSize: { value: 8 }, text: { field: "label" } } } }] }),
};
// Parsed once, as a server would that draws the same kind again and again; run and drawn each time.
const parsed = Object.fromEntries(Object.keys(spec).map(name => [name, vega.parse({ width: 720, height: 400, padding: 10,
  title: { text: TITLE, subtitle: SUBTITLE }, ...spec[name](works[name]) })]));

async function drawVega(name) {
  const view = new vega.View(parsed[name], { renderer: "none" });
  const svg = await view.toSVG();
  view.finalize();
  return svg;
}

const raster = svg => sharp(Buffer.from(svg), { density: 144 }).resize(1600, 1000, { fit: "fill" }).flatten({ background: "#fff" }).png({ compressionLevel: 6 }).toBuffer();

async function median(call) {
  const times = [], began = performance.now();
  while (performance.now() - began < LASTS || times.length < 5) {
    const before = performance.now();
    await call();
    times.push(performance.now() - before);
  }
  const warm = times.slice(Math.floor(times.length / 5)).sort((one, two) => one - two);
  return warm[Math.floor(warm.length / 2)];
}

const found = {};
for (const [library, draw] of [["echarts", drawEcharts], ["vega", drawVega]]) {
  for (const name of Object.keys(option)) {
    const svg = await draw(name), png = await raster(svg);
    writeFileSync(join(folder, `${library}-${name}.png`), png);
    (found[library] ??= {})[name] = {
      svg: await median(() => draw(name)), svg_bytes: svg.length,
      png: await median(async () => raster(await draw(name))), png_bytes: png.length,
    };
  }
}
console.log(JSON.stringify(found));
