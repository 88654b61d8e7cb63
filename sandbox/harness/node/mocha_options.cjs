'use strict';
// Prints what node itself must be started with for mocha (6 and later): node mocha_options.cjs <folder> <arguments...>.
// Mocha's own command starts a second process for these; the key does not reach that one.
const path = require('path');

const [folder, ...given] = process.argv.slice(2);

function loaded(name) {
	for (const suffix of ['js', 'cjs']) {
		try {
			return require(path.join(folder, 'lib', 'cli', `${name}.${suffix}`));
		} catch (error) {
			if (error.code !== 'MODULE_NOT_FOUND') {
				throw error;
			}
		}
	}

	return {};
}

const {loadOptions} = loaded('options');
const {isNodeFlag} = loaded('node-flags');
const found = [];
for (const [name, value] of Object.entries(loadOptions && isNodeFlag ? loadOptions(given) : {})) {
	if (name === 'node-option') {
		found.push(...[].concat(value).map(one => `--${one}`));
	} else if (isNodeFlag(name)) {
		found.push(...[].concat(value).map(one => one === true ? `--${name}` : `--${name}=${one}`));
	}
}

process.stdout.write(JSON.stringify(found));
