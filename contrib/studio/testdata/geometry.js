// What is wrong with the pictures of a page, as a person would see it: by the boxes and lines that the browser has drawn, with its fonts.
(() => {
  const inset = (r, by) => ({ left: r.left + by, right: r.right - by, top: r.top + by, bottom: r.bottom - by });
  const box = (el) => inset(el.getBoundingClientRect(), 0);
  const ink = (text) => { // without the space above and below letters
    const r = box(text), h = r.bottom - r.top;
    return { ...r, top: r.top + 0.2 * h, bottom: r.bottom - 0.2 * h };
  };
  const meet = (a, b) => a.left < b.right - 0.5 && b.left < a.right - 0.5 && a.top < b.bottom - 0.5 && b.top < a.bottom - 0.5;
  const holds = (r, p) => p.x > r.left && p.x < r.right && p.y > r.top && p.y < r.bottom;
  const within = (a, b) => a.left >= b.left - 0.5 && a.right <= b.right + 0.5 && a.top >= b.top - 0.5 && a.bottom <= b.bottom + 0.5;

  const sum = { pictures: 0, nodes: 0, edges: 0, labels: 0, texts: 0 };
  const faultsOf = (svg) => {
    const faults = [], all = (q, of = svg) => [...of.querySelectorAll(q)], name = (el) => el.id || el.textContent;
    const nodes = all("g.node").map((el) => {
      const at = el.parentElement.closest("g.region");
      return { el, at, region: el.classList.contains("region"), box: box(el.querySelector(":scope > .shape, :scope > a > .shape")) };
    });
    const boxOf = new Map(nodes.map((n) => [n.el, n]));
    const texts = nodes.flatMap((n) => all(":scope > text, :scope > a > text", n.el).map((el) => ({ el, of: n.el, box: ink(el) })));
    const edges = all("g.edge").map((el) => {
      const line = el.querySelector("path[fill=none]"), m = line.getScreenCTM(), length = line.getTotalLength(), points = [];
      for (let at = 0; at <= length; at += 4) {
        const p = line.getPointAtLength(at);
        points.push({ x: m.a * p.x + m.e, y: m.d * p.y + m.f });
      }
      const end = (id) => svg.querySelector("#" + CSS.escape(id));
      return { el, points, from: end(el.dataset.from), to: end(el.dataset.to), labels: all("text", el).map((text) => ({ el: text, of: el, box: ink(text) })) };
    });
    const labels = edges.flatMap((e) => e.labels), whole = box(svg);
    for (const [i, a] of nodes.entries()) {
      if (a.at && !within(a.box, boxOf.get(a.at).box)) faults.push(`${name(a.el)} is outside of ${name(a.at)}`);
      if (!within(a.box, whole)) faults.push(`${name(a.el)} is outside of the picture`);
      for (const b of nodes.slice(i + 1))
        if (!a.el.contains(b.el) && !b.el.contains(a.el) && meet(a.box, b.box)) faults.push(`${name(a.el)} is over ${name(b.el)}`);
    }
    for (const t of texts) if (!within(t.box, boxOf.get(t.of).box)) faults.push(`the text ${t.el.textContent} is outside of ${name(t.of)}`);
    for (const e of edges)
      for (const n of nodes) {
        if (n.el === e.from || n.el === e.to || n.region && (n.el.contains(e.from) || n.el.contains(e.to))) continue;
        if (e.points.some((p) => holds(inset(n.box, 1), p))) faults.push(`${name(e.el)} goes through ${name(n.el)}`);
      }
    for (const [i, l] of labels.entries()) {
      if (!within(l.box, whole)) faults.push(`the label ${l.el.textContent} is outside of the picture`);
      for (const n of nodes) if (!n.region && meet(l.box, n.box)) faults.push(`the label ${l.el.textContent} is over ${name(n.el)}`);
      for (const other of [...labels.slice(i + 1), ...texts])
        if (meet(l.box, other.box)) faults.push(`the label ${l.el.textContent} is over ${other.el.textContent}`);
      for (const e of edges)
        if (e.el !== l.of && e.points.some((p) => holds(l.box, p))) faults.push(`${name(e.el)} goes through the label ${l.el.textContent}`);
    }
    for (const t of texts)
      for (const e of edges) if (e.points.some((p) => holds(t.box, p))) faults.push(`${name(e.el)} goes through the text ${t.el.textContent}`);
    sum.nodes += nodes.length, sum.edges += edges.length, sum.labels += labels.length, sum.texts += texts.length;
    return faults.map((f) => `${svg.querySelector("title").textContent}: ${f}`);
  };

  for (const d of document.querySelectorAll("details")) d.open = true;
  const pictures = [...document.querySelectorAll("svg")];
  const start = performance.now(), faults = pictures.flatMap(faultsOf);

  // How wide texts are in the font of the browser, in their widths in pictures: whoever has the fonts that pictures name sees them as they are.
  const fitted = [...document.querySelectorAll("text[textLength]")], lengths = fitted.map((t) => t.getComputedTextLength());
  for (const t of fitted) t.removeAttribute("textLength");
  const widths = fitted.map((t, i) => t.getComputedTextLength() / lengths[i]);
  return { ...sum, pictures: pictures.length, faults, narrow: Math.min(...widths), wide: Math.max(...widths), took: performance.now() - start };
})()
