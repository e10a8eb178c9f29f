import { plain, written } from './exact.mjs'
import { h } from './view.mjs'

// Forms of JSON Schemas. A form has its element, the value that its fields have, and marks the field that a server has refused.

/** form makes the fields of a schema. */
export function form(schema, legend) {
  const root = schema, marks = new Map()
  const resolve = s => {
    if (s?.$ref === '#') return root
    if (s?.$ref) return root.$defs?.[s.$ref.replace('#/$defs/', '')] ?? {}
    return s ?? {}
  }
  let names = 0

  function labelled(name, path, s, input, read, kind = '') {
    const id = `field-${path || 'value'}-${++names}`, wrong = h('span.wrong', { id: id + '-wrong' })
    input.setAttribute('aria-describedby', wrong.id)
    input.name = path || 'value'
    marks.set(path, { input, wrong })
    const text = s.description ? `${name}: ${s.description}` : name
    return { element: h('label' + kind, {}, kind ? [input, text] : [text, input], wrong), read, path }
  }
  function json(name, path, s, given) {
    const input = h('textarea.json', { rows: 3, spellcheck: 'false' })
    if (given !== undefined) input.value = JSON.stringify(given, null, 2)
    return labelled(name + ' (JSON)', path, s, input, () => {
      if (!input.value.trim()) return undefined
      return jsonOf(input.value, path, 'This is')
    })
  }
  function field(name, path, of, given) {
    const s = resolve(of), types = [].concat(s.type ?? []), type = types.find(t => t !== 'null')
    given ??= s.default
    const nothing = h('option', { value: '' }, '')
    if (s.enum || s.const !== undefined) {
      const list = s.enum ?? [s.const], input = h('select', {}, nothing, list.map(v => h('option', { value: JSON.stringify(v), selected: plain(v) === plain(given) }, String(plain(v)))))
      return labelled(name, path, s, input, () => input.value === '' ? undefined : jsonOf(input.value, path, 'This is'))
    }
    if (type === 'boolean') {
      const input = h('input', { type: 'checkbox', checked: given === true })
      return labelled(name, path, s, input, () => input.checked, '.check')
    }
    if (type === 'integer' || type === 'number') {
      const input = h('input', { type: 'number', step: type === 'integer' ? 1 : 'any', min: plain(s.minimum), max: plain(s.maximum), value: plain(given) })
      const number = () => input.value.replace(/^(-?)0*(?=\d)/, '$1').replace(/^(-?)\./, '$10.') // JSON has neither 007 nor .7
      return labelled(name, path, s, input, () => input.value === '' ? undefined : jsonOf(number(), path, 'This is'))
    }
    if (type === 'string') {
      const input = h('textarea', { rows: (given ?? '').includes('\n') || !s.maxLength || s.maxLength > 200 ? 3 : 1 })
      input.value = given ?? ''
      return labelled(name, path, s, input, () => input.value === '' && (given === undefined || types.includes('null')) && !(s.minLength === 0) ? undefined : input.value)
    }
    if (type === 'object' && s.properties) {
      const kids = Object.entries(s.properties).map(([n, of]) => [n, field(n, path ? `${path}.${n}` : n, of, given?.[n])])
      return {
        element: h('fieldset', {}, name && h('legend', {}, name), kids.map(([, k]) => k.element)), path,
        read: () => {
          const value = {}
          for (const [n, k] of kids) {
            const v = k.read()
            if (v !== undefined) value[n] = v
            else if (s.required?.includes(n)) value[n] = resolve(s.properties[n]).type === 'string' ? '' : null
          }
          return value
        },
      }
    }
    return json(name, path, s, given)
  }
  const all = field(legend ?? '', '', root)
  return {
    element: all.element, value: all.read,
    /** refuse shows why a field was refused; it reports whether there is such a field. */
    refuse(path, text) {
      for (const m of marks.values()) m.input.removeAttribute('aria-invalid'), m.wrong.textContent = ''
      const m = marks.get(path)
      if (!m) return false
      m.input.setAttribute('aria-invalid', 'true')
      m.wrong.textContent = text
      m.input.focus()
      return true
    },
  }
}

/** jsonOf returns the value of a text that a person has written at a path. */
export function jsonOf(text, path, what) {
  try { return written(text) } catch (err) { throw new Wrong(path, err instanceof RangeError ? err.message : `${what} not JSON: ${err.message}`) }
}

/** A Wrong is a field with a text that it cannot have. */
export class Wrong extends Error {
  constructor(path, text) { super(text); this.path = path }
}
