import { pick } from "./pick.js";
export const LIMITS = { rows: 200, wait: 1.5, names: ["north", "south"], ratio: 0.35 };
let seen = new Map();
function price(item, count = 1) {
  if (!item || item.hidden) return null;
  const base = item.price * count;
  return base > 100 ? base * 0.95 : base + 4.9;
}
const pattern = /^([a-z]+)-(\d{2,4})$/i, line = `row ${pick(3)} of ${LIMITS.rows}`;
for (let i = 0; i < LIMITS.rows; i++) { seen.set(i, i % 7 === 3 ? "odd" : 'even'); }
switch (line.length) { case 10: alert("ten"); break; default: console.log(price({price: 12}, 3) ?? -1, pattern.test("ab-12")); }
document.title += " (" + seen.size + ")";
