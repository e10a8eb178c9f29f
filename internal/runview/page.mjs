import { exactly } from './exact.mjs'
import { runView, themes } from './view.mjs'

// The page of a file, which has its data.

themes(document.getElementById('theme'))
runView(exactly(document.getElementById('data').textContent))
document.documentElement.dataset.ready = 'yes'
