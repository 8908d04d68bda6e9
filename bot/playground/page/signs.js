// Drawings of the signs that reactions use most.

const NS = "http://www.w3.org/2000/svg";

/** name: [colour, path, filled?] on a 24 x 24 field. */
const SIGNS = {
  eyes: ["#5b6a9a", "M7 19c2.500 0 4-3.100 4-7s-1.500-7-4-7-4 3.100-4 7 1.500 7 4 7ZM17 19c2.500 0 4-3.100 4-7s-1.500-7-4-7-4 3.100-4 7 1.500 7 4 7ZM8.300 14.500v-2.600M18.300 14.500v-2.600"],
  white_check_mark: ["#3f8a63", "M5 12.500 10 17.500 19.500 7"],
  heavy_check_mark: ["#3f8a63", "M5 12.500 10 17.500 19.500 7"],
  x: ["#b3403a", "m6.500 6.500 11 11M17.500 6.500l-11 11"],
  warning: ["#b07a3c", "M12 5 3.500 19h17L12 5ZM12 10.500v4M12 16.800v.1"],
  octagonal_sign: ["#b3403a", "M8.700 4.500h6.600l4.700 4.700v5.600l-4.700 4.700H8.700L4 14.800V9.200ZM9.500 9.500h5v5h-5z"],
  hourglass_flowing_sand: ["#8a6a1f", "M7 4.500h10M7 19.500h10M8 4.500c0 4 2 5.500 4 7.500 2-2 4-3.500 4-7.500M8 19.500c0-4 2-5.500 4-7.500 2 2 4 3.500 4 7.500"],
  "+1": ["#b07a3c", "M8 11v8.500H5V11h3Zm0 .5 3.500-7c1.500 0 2.300 1 2 2.700L13 10h5.500c1 0 1.500.8 1.300 1.800l-1.300 6c-.2 1-.9 1.700-2 1.700H8"],
  heart: ["#b8485a", "M12 19.500C7 15.800 4.500 13 4.500 9.700A4 4 0 0 1 12 7.800a4 4 0 0 1 7.500 1.900c0 3.300-2.500 6.100-7.500 9.800Z"],
  tada: ["#8a5a7d", "m5 19.500 4-10.500 6.500 6.500L5 19.500ZM14 9c0-2 1-3 3-3M15.500 11c2-1 3.500-.5 4.500 1M12.500 5.500v-1.500M19 4.500v.1M20 8.500v.1"],
  pray: ["#b07a3c", "M11.500 4.500 7 13v6.500M12.500 4.500 17 13v6.500M11.500 4.500v11L9.500 19.500M12.500 4.500v11l2 4"],
  compass: ["#2f6f73", "M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16ZM15.500 8.500l-2 5-5 2 2-5 5-2Z"],
  mag_right: ["#5b6a9a", "M13.500 5a5.500 5.500 0 1 0 0 11 5.500 5.500 0 0 0 0-11ZM9.500 14.500 4.500 19.500"],
  writing_hand: ["#8a5a7d", "m5 19 1-4L16.500 4.500l3 3L9 18l-4 1ZM14.500 6.500l3 3M12 19.500h7.500"],
  books: ["#b07a3c", "M5 5h4v14H5ZM9 7h4v12H9ZM14 7.500l3.800-1 3 12-3.800 1-3-12ZM5 9h4M9 15.500h4"],
};
SIGNS.thumbsup = SIGNS["+1"];
SIGNS.hourglass = SIGNS.hourglass_flowing_sand;
SIGNS.stop_sign = SIGNS.octagonal_sign;

export const hasSign = (name) => Object.hasOwn(SIGNS, name);

export function sign(name) {
  const [color, lines] = SIGNS[name];
  const svg = document.createElementNS(NS, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("class", "sign");
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", name);
  svg.style.setProperty("--sign", color);
  const path = document.createElementNS(NS, "path");
  path.setAttribute("d", lines);
  svg.append(path);
  return svg;
}
