// JSON whose numbers keep their digits. JavaScript has no integers beyond 2^53: JSON.parse makes other integers of them.

/** exactly is JSON.parse, except that a number which JavaScript would change is an object, which JSON.stringify writes as it was written. In a browser
  * that has no such objects, it is JSON.parse. */
export function exactly(text) {
  if (!JSON.rawJSON || !/\d[\d.]{15}|\d[eE][-+]?\d{3}/.test(text)) return JSON.parse(text) // no number is that long
  return JSON.parse(text, (_, v, { source }) => typeof v === 'number' && alters(source) ? JSON.rawJSON(source) : v)
}

/** written is exactly for what is sent: it refuses what the browser would change. */
export function written(text) {
  const v = exactly(text)
  if (JSON.rawJSON) return v
  for (const [n] of text.replaceAll(/"(?:[^"\\]|\\.)*"/g, '').matchAll(/-?\d[\d.eE+-]*/g)) {
    if (alters(n)) throw new RangeError(`This browser would change the number ${n}: use a newer one.`)
  }
  return v
}

/** plain returns a value as texts and attributes have it. */
export const plain = v => v !== null && typeof v === 'object' ? JSON.stringify(v) : v

/** alters reports whether JavaScript makes another number of one. */
const alters = source => !Number.isFinite(Number(source)) || decimal(source) !== decimal(String(Number(source)))

/** decimal returns a number in one way of writing it. */
function decimal(text) {
  const [, sign, whole, part, exponent = '0'] = /^(-?)(\d+)\.?(\d*)(?:[eE]([-+]?\d+))?$/.exec(text)
  const digits = (whole + part).replace(/^0+/, ''), kept = digits.replace(/0+$/, '')
  return kept && `${sign}${kept}e${Number(exponent) - part.length + digits.length - kept.length}`
}
