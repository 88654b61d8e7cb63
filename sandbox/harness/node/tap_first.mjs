// Loads tap (18 and later) for a test file that is an ES module, as that will: before any code of the tree.
// Its two forms, for `import` and `require`, share one root; the form that made it is the one that can mock.
import path from 'node:path';
import {readFileSync} from 'node:fs';
import {pathToFileURL} from 'node:url';

const folder = globalThis[Symbol.for('assay tap')];
if (folder) {
	delete globalThis[Symbol.for('assay tap')];
	const {exports} = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
	await import(pathToFileURL(path.join(folder, exports['.'].import.default)).href);
}
