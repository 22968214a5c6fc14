// Times the five typical charts in Apache ECharts and Vega, for charts.py: node charts.mjs FOLDER.
// FOLDER contains works.json and node_modules. The script writes a PNG of each chart to FOLDER. It prints
// JSON with the median milliseconds and the bytes of SVG and PNG, by library and chart.
import { createRequire } from "node:module";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const folder = resolve(process.argv[2]);
const require = createRequire(pathToFileURL(join(folder, "package.json")));
const echarts = require("echarts");
const sharp = require("sharp");
const vega = await import(pathToFileURL(join(folder, "node_modules/vega/build/vega.module.js")));
const dataByChart = JSON.parse(readFileSync(join(folder, "works.json"), "utf8"));
const MIN_DURATION_MS = 1500, WIDTH = 800, HEIGHT = 500;
const TITLE = "A title as people write them", SUBTITLE = "Measure and unit";
const getSeriesNames = data => Object.keys(data[0]).filter(key => key !== "label");

const echartsOptions = {
  W1: data => ({ legend: { top: 62 }, grid: { top: 100 }, xAxis: { type: "category", data: data.map(record => record.label) }, yAxis: {},
    series: getSeriesNames(data).map(name => ({ name, type: "bar", label: { show: true, position: "top" }, data: data.map(record => record[name]) })) }),
  W2: data => ({ legend: { top: 62 }, grid: { top: 100 }, xAxis: { type: "category", data: data.map(record => record.label) }, yAxis: { scale: true },
    series: getSeriesNames(data).map(name => ({ name, type: "line", showSymbol: false, data: data.map(record => record[name]) })) }),
  W3: data => ({ series: [{ type: "pie", radius: "60%", data: data.map(record => ({ name: record.label, value: record.value })) }] }),
  W4: data => ({ xAxis: { scale: true }, yAxis: { scale: true }, series: [{ type: "scatter", symbolSize: 4, data: data.map(record => [record.x, record.y]) }] }),
  W5: data => ({ xAxis: { type: "time" }, yAxis: { type: "category", inverse: true, data: data.map(record => record.label), axisLabel: { interval: 0 } },
    series: [{ type: "custom", encode: { x: [1, 2], y: 0 }, data: data.map((record, index) => [index, record.start, record.end]),
      renderItem: (_, api) => {
        const start = api.coord([api.value(1), api.value(0)]), end = api.coord([api.value(2), api.value(0)]), barHeight = api.size([0, 1])[1] * 0.6;
        return { type: "rect", shape: { x: start[0], y: start[1] - barHeight / 2, width: end[0] - start[0], height: barHeight }, style: { fill: api.visual("color") } };
      } }] }),
};

function renderEcharts(name) {
  const chart = echarts.init(null, null, { renderer: "svg", ssr: true, width: WIDTH, height: HEIGHT });
  chart.setOption({ animation: false, title: { text: TITLE, subtext: SUBTITLE }, ...echartsOptions[name](dataByChart[name]) });
  const svg = chart.renderToSVGString();
  chart.dispose();
  return svg;
}

const createScale = (name, type, range, field, more) => ({ name, type, range, domain: { data: "table", field }, ...more });
const axes = [{ orient: "bottom", scale: "x" }, { orient: "left", scale: "y", grid: true }];
const foldSeries = data => ({ name: "table", values: data, transform: [{ type: "fold", fields: getSeriesNames(data) }] });
const vegaSpecs = {
  W1: data => ({ data: [foldSeries(data)], axes, legends: [{ fill: "color" }],
    scales: [createScale("x", "band", "width", "label", { padding: 0.2 }), createScale("y", "linear", "height", "value", { nice: true, zero: true }), createScale("color", "ordinal", "category", "key")],
    marks: [{ type: "group", from: { facet: { data: "table", name: "facet", groupby: "label" } }, encode: { enter: { x: { scale: "x", field: "label" } } },
      signals: [{ name: "width", update: "bandwidth('x')" }], scales: [{ name: "pos", type: "band", range: "width", domain: { data: "facet", field: "key" } }],
      marks: [
        { type: "rect", from: { data: "facet" }, encode: { enter: { x: { scale: "pos", field: "key" }, width: { scale: "pos", band: 1 }, y: { scale: "y", field: "value" }, y2: { scale: "y", value: 0 }, fill: { scale: "color", field: "key" } } } },
        { type: "text", from: { data: "facet" }, encode: { enter: { x: { scale: "pos", field: "key", band: 0.5 }, y: { scale: "y", field: "value", offset: -3 }, align: { value: "center" }, text: { field: "value" } } } }] }] }),
  W2: data => ({ data: [{ ...foldSeries(data), transform: [{ type: "formula", as: "label", expr: "toNumber(datum.label)" }, ...foldSeries(data).transform] }], axes, legends: [{ stroke: "color" }],
    scales: [createScale("x", "linear", "width", "label"), createScale("y", "linear", "height", "value", { nice: true, zero: false }), createScale("color", "ordinal", "category", "key")],
    marks: [{ type: "group", from: { facet: { data: "table", name: "facet", groupby: "key" } },
      marks: [{ type: "line", from: { data: "facet" }, encode: { enter: { x: { scale: "x", field: "label" }, y: { scale: "y", field: "value" }, stroke: { scale: "color", field: "key" } } } }] }] }),
  W3: data => ({ data: [{ name: "table", values: data, transform: [{ type: "pie", field: "value" }] }], scales: [createScale("color", "ordinal", { scheme: "category20" }, "label")],
    marks: [
      { type: "arc", from: { data: "table" }, encode: { enter: { x: { value: 400 }, y: { value: 250 }, startAngle: { field: "startAngle" }, endAngle: { field: "endAngle" }, outerRadius: { value: 160 }, fill: { scale: "color", field: "label" } } } },
      { type: "text", from: { data: "table" }, encode: { enter: { x: { value: 400 }, y: { value: 250 }, radius: { value: 190 }, theta: { signal: "(datum.startAngle + datum.endAngle) / 2" }, align: { value: "center" }, text: { field: "label" } } } }] }),
  W4: data => ({ data: [{ name: "table", values: data }], axes, scales: [createScale("x", "linear", "width", "x", { nice: true }), createScale("y", "linear", "height", "y", { nice: true })],
    marks: [{ type: "symbol", from: { data: "table" }, encode: { enter: { x: { scale: "x", field: "x" }, y: { scale: "y", field: "y" }, size: { value: 12 }, fill: { value: "#3f90da" } } } }] }),
  W5: data => ({ data: [{ name: "table", values: data, format: { parse: { start: "date", end: "date" } } }], axes,
    scales: [{ name: "x", type: "time", range: "width", domain: { fields: [{ data: "table", field: "start" }, { data: "table", field: "end" }] } }, createScale("y", "band", "height", "label", { padding: 0.2 })],
    marks: [
      { type: "rect", from: { data: "table" }, encode: { enter: { x: { scale: "x", field: "start" }, x2: { scale: "x", field: "end" }, y: { scale: "y", field: "label" }, height: { scale: "y", band: 1 }, fill: { value: "#3f90da" } } } },
      { type: "text", from: { data: "table" }, encode: { enter: { x: { scale: "x", field: "end", offset: 4 }, y: { scale: "y", field: "label", band: 0.5 }, baseline: { value: "middle" }, fontSize: { value: 8 }, text: { field: "label" } } } }] }),
};
// The specifications are parsed once, as a server would do that renders the same kind repeatedly. The data
// flow runs in each rendering.
const parsedSpecs = Object.fromEntries(Object.keys(vegaSpecs).map(name => [name, vega.parse({ width: 720, height: 400, padding: 10,
  title: { text: TITLE, subtitle: SUBTITLE }, ...vegaSpecs[name](dataByChart[name]) })]));

async function renderVega(name) {
  const view = new vega.View(parsedSpecs[name], { renderer: "none" });
  const svg = await view.toSVG();
  view.finalize();
  return svg;
}

const renderPng = svg => sharp(Buffer.from(svg), { density: 144 }).resize(1600, 1000, { fit: "fill" }).flatten({ background: "#fff" }).png({ compressionLevel: 6 }).toBuffer();

async function measureMedian(render) {
  const times = [], start = performance.now();
  while (performance.now() - start < MIN_DURATION_MS || times.length < 5) {
    const runStart = performance.now();
    await render();
    times.push(performance.now() - runStart);
  }
  const warmTimes = times.slice(Math.floor(times.length / 5)).sort((a, b) => a - b);
  return warmTimes[Math.floor(warmTimes.length / 2)];
}

const results = {};
for (const [library, render] of [["echarts", renderEcharts], ["vega", renderVega]]) {
  for (const name of Object.keys(echartsOptions)) {
    const svg = await render(name), png = await renderPng(svg);
    writeFileSync(join(folder, `${library}-${name}.png`), png);
    (results[library] ??= {})[name] = {
      svg: await measureMedian(() => render(name)), svg_bytes: svg.length,
      png: await measureMedian(async () => renderPng(await render(name))), png_bytes: png.length,
    };
  }
}
console.log(JSON.stringify(results));
