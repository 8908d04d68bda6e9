// Elements from plain values: text only ever becomes text, never markup.

const SVG = "http://www.w3.org/2000/svg";

/** el("a.quiet", {href}, "text", child, [more]): strings become text nodes, empty values nothing. */
export function el(kind, props = {}, ...children) {
  const [tag, ...classes] = kind.split(".");
  const node = document.createElement(tag || "div");
  if (classes.length) node.className = classes.join(" ");
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "class" && !value.trim()) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "class") node.classList.add(...value.split(" ").filter(Boolean));
    else if (name === "value") node.value = value;
    else node.setAttribute(name, value === true ? "" : value);
  }
  add(node, children);
  return node;
}

export function add(node, children) {
  for (const child of children.flat(Infinity)) {
    if (child === undefined || child === null || child === false || child === "") continue;
    node.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}

const ICONS = {
  clip: "M19 11.5 12 18.4a4.2 4.2 0 0 1-6-6l7.4-7.3a2.8 2.8 0 0 1 4 4L10 16.3a1.4 1.4 0 0 1-2-2l6.6-6.5",
  send: "M5 12h13M12.5 6.5 18 12l-5.5 5.5",
  close: "m7 7 10 10M17 7 7 17",
  menu: "M5 7.5h14M5 12h14M5 16.5h14",
  reply: "M20 11.5c0 3.6-3.6 6.5-8 6.5-1 0-2-.1-2.900-.4L5 19l1-3.400c-1.200-1.100-2-2.500-2-4.100C4 7.900 7.600 5 12 5s8 2.900 8 6.500Z",
  smile: "M12 20a8 8 0 1 0 0-16 8 8 0 0 0 0 16ZM9 10.200v.1M15 10.200v.1M8.800 14c1.700 2.300 4.700 2.300 6.400 0",
  edit: "m5 19 .8-3.600L15.400 5.800a1.600 1.600 0 0 1 2.300 0l.5.5a1.600 1.600 0 0 1 0 2.300L8.600 18.200 5 19Z",
  bin: "M5.500 8h13M10 8V5.500h4V8M7.500 8l.7 10.500h7.600L16.500 8",
  lock: "M7 11h10v8H7zM9 11V8.500a3 3 0 0 1 6 0V11",
  moon: "M19 14.500A7.500 7.500 0 0 1 9.500 5a7.500 7.500 0 1 0 9.500 9.500Z",
  sun: "M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8ZM12 3v2M12 19v2M3 12h2M19 12h2M5.600 5.600 7 7M17 17l1.400 1.400M5.600 18.400 7 17M17 7l1.400-1.400",
  file: "M7 4h7l4 4v12H7zM14 4v4h4",
  eye: "M3 12s3.300-6 9-6 9 6 9 6-3.300 6-9 6-9-6-9-6ZM12 14.500a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5Z",
  curve: "M19 8H9a4 4 0 0 0-4 4v5",
  answer: "M10 7 5 12l5 5M5 12h8a6 6 0 0 1 6 6",
  apps: "M6 6h4v4H6zM14 6h4v4h-4zM6 14h4v4H6zM14 14h4v4h-4z",
  forum: "M5 6h14v9H11l-4 3.500V15H5ZM8.500 9.500h7M8.500 12h4",
  down: "M12 5v13M6.500 12.500 12 18l5.500-5.500",
};

export function icon(name) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", ICONS[name]);
  svg.append(path);
  return svg;
}

/**
 * Make the children of `list` be `items` ({key, mark, build}), in order, and build only those whose
 * mark changed: what a person reads, selects or has focused stays as it is.
 */
export function reconcile(list, items) {
  const old = new Map([...list.children].map((node) => [node.dataset.key, node]));
  let place = list.firstChild;
  for (const { key, mark, build } of items) {
    let node = old.get(key);
    if (!node || node.dataset.mark !== mark) {
      const fresh = build();
      fresh.dataset.key = key;
      fresh.dataset.mark = mark;
      if (node) {
        if (place === node) place = fresh;
        node.replaceWith(fresh);
      }
      node = fresh;
    }
    old.delete(key);
    if (node === place) place = place.nextSibling;
    else list.insertBefore(node, place);
  }
  for (const node of old.values()) node.remove();
}
