// Prints which modules tap (18 and later) loads before a test file: node tap_loaders.mjs <tap's folder>.
import path from 'node:path';
import {createRequire} from 'node:module';
import {pathToFileURL} from 'node:url';

const require = createRequire(path.join(process.argv[2], 'package.json'));
const {importLoaders = []} = await import(pathToFileURL(require.resolve('@tapjs/test')).href);
const own = createRequire(require.resolve('@tapjs/test'));
process.stdout.write(JSON.stringify([...importLoaders].map(one => {
	try {
		return `--import=${pathToFileURL(own.resolve(one)).href}`;
	} catch {
		return `--import=${one}`;
	}
})));
