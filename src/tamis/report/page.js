// Tables that sort and search, curves that tell their values. Text from the page is only ever set as text.
"use strict";
(() => {
  const all = (where, what) => [...where.querySelectorAll(what)];
  const make = (tag, text, name) => {
    const made = document.createElement(tag);
    if (text !== undefined) made.textContent = text;
    if (name) made.className = name;
    return made;
  };

  for (const box of all(document, ".table")) {
    const body = box.querySelector("tbody");
    const rows = [...body.rows];
    const search = box.querySelector("input[type=search]");
    const count = box.querySelector(".count");
    const more = box.querySelector(".more");
    let shown = Number(box.dataset.shown);
    let texts = null;
    const draw = () => {
      const wanted = search ? search.value.trim().toLowerCase() : "";
      if (wanted && !texts) texts = new Map(rows.map((row) => [row, row.textContent.toLowerCase()]));
      let found = 0;
      for (const row of body.rows) {
        const fits = !wanted || texts.get(row).includes(wanted);
        row.hidden = !fits || found >= shown;
        if (fits) found += 1;
      }
      const visible = Math.min(found, shown);
      if (count) count.textContent = `${visible} of ${found}${wanted ? " found" : ""} shown`;
      if (more) more.hidden = found <= shown;
    };
    const value = (row, place) => {
      const text = row.cells[place].textContent.trim();
      if (text === "") return null;
      const number = Number(text.replace("%", ""));
      return Number.isNaN(number) ? text.toLowerCase() : number;
    };
    const compared = (a, b) => {
      if (typeof a === typeof b) return typeof a === "number" ? a - b : a < b ? -1 : a > b ? 1 : 0;
      return typeof a === "number" ? -1 : 1;
    };
    const heads = all(box, "th");
    heads.forEach((head, place) => {
      head.querySelector("button").addEventListener("click", () => {
        const rising = head.getAttribute("aria-sort") !== "ascending";
        heads.forEach((other) => other.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", rising ? "ascending" : "descending");
        const keyed = rows.map((row, order) => [value(row, place), order, row]);
        keyed.sort((a, b) => {
          if (a[0] === null || b[0] === null) return (a[0] === null) - (b[0] === null) || a[1] - b[1];
          return (rising ? 1 : -1) * compared(a[0], b[0]) || a[1] - b[1];
        });
        body.append(...keyed.map((entry) => entry[2]));
        draw();
      });
    });
    if (search) search.addEventListener("input", draw);
    if (more) more.addEventListener("click", () => { shown = rows.length; draw(); });
    draw();
  }

  for (const scroll of all(document, ".scroll")) {
    const mark = () => scroll.classList.toggle("wide", scroll.scrollWidth > scroll.clientWidth + 2);
    mark();
    window.addEventListener("resize", mark);
  }

  for (const box of all(document, ".switch")) {
    const buttons = all(box, ".choices button");
    const panels = all(box, ":scope > .panel");
    const choose = (wanted) => buttons.forEach((button, place) => {
      button.setAttribute("aria-pressed", String(place === wanted));
      panels[place].hidden = place !== wanted;
    });
    buttons.forEach((button, place) => button.addEventListener("click", () => choose(place)));
    choose(0);
  }

  for (const chart of all(document, "figure.chart[data-chart]")) {
    const data = JSON.parse(chart.dataset.chart);
    const picture = chart.querySelector("svg.plot");
    const cursor = picture.querySelector(".cursor");
    const groups = all(picture, ".series");
    const buttons = all(chart, ".legend button");
    const tip = make("div", "", "tip");
    tip.setAttribute("role", "status");
    chart.append(tip);
    let at = -1;
    const hide = () => { at = -1; tip.replaceChildren(); if (cursor) cursor.setAttribute("visibility", "hidden"); };
    const show = (place) => {
      at = place;
      const scale = picture.getBoundingClientRect().width / picture.viewBox.baseVal.width;
      const lines = [make("b", data.labels[place])];
      data.series
        .map((series, order) => [series, groups[order]])
        .filter(([series, group]) => series.values[place] !== null && !group.classList.contains("off"))
        .sort((a, b) => a[0].heights[place] - b[0].heights[place])
        .forEach(([series]) => lines.push(make("div", `${series.name}: ${series.values[place]}`)));
      tip.replaceChildren(...lines);
      const x = data.places[place];
      if (cursor) {
        cursor.setAttribute("x1", x); cursor.setAttribute("x2", x); cursor.setAttribute("visibility", "visible");
      }
      const left = picture.getBoundingClientRect().left - chart.getBoundingClientRect().left + x * scale;
      const right = left + tip.offsetWidth + 16 > chart.clientWidth;
      tip.style.left = `${Math.max(0, right ? left - tip.offsetWidth - 12 : left + 12)}px`;
      tip.style.top = `${picture.offsetTop + 8 || picture.getBoundingClientRect().top - chart.getBoundingClientRect().top + 8}px`;
    };
    const nearest = (event) => {
      const frame = picture.getBoundingClientRect();
      const x = ((event.clientX - frame.left) / frame.width) * picture.viewBox.baseVal.width;
      let best = 0;
      data.places.forEach((place, order) => { if (Math.abs(place - x) < Math.abs(data.places[best] - x)) best = order; });
      return best;
    };
    if (data.places.length) {
      picture.addEventListener("pointermove", (event) => show(nearest(event)));
      picture.addEventListener("pointerdown", (event) => show(nearest(event)));
      picture.addEventListener("pointerleave", hide);
      picture.addEventListener("blur", hide);
      picture.addEventListener("keydown", (event) => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (event.key === "Escape") hide();
        if (!step) return;
        event.preventDefault();
        show(Math.max(0, Math.min(data.places.length - 1, at < 0 ? (step > 0 ? 0 : data.places.length - 1) : at + step)));
      });
    }
    buttons.forEach((button) => {
      const order = Number(button.dataset.series);
      const others = (dim) => groups.forEach((group, place) => group.classList.toggle("dim", dim && place !== order));
      button.addEventListener("click", () => {
        const on = button.getAttribute("aria-pressed") !== "false";
        button.setAttribute("aria-pressed", String(!on));
        groups[order].classList.toggle("off", on);
      });
      button.addEventListener("pointerenter", () => others(true));
      button.addEventListener("pointerleave", () => others(false));
    });
  }
})();
