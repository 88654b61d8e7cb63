// Loads what a packed package offers, each time in a process of its own, and tells how that went.
//
// Usage: load.mjs FOLDER, the package's own. Writes one JSON list a line to the channel: ["use", …],
// ["open", path], ["closed", path], and ["done"] last.
import {execFileSync, spawnSync} from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

const [folder] = process.argv.slice(2);
const channel = Number(process.env.ASSAY_CHANNEL_FD);
const tell = (...told) => fs.writeSync(channel, `${JSON.stringify(told)}\n`);
const read = file => JSON.parse(fs.readFileSync(file, 'utf8'));
const [APP, DEV, PACKED] = ['/tmp/app', '/tmp/dev', '/tmp/packed'];
const NOT_THERE = new Set(['MODULE_NOT_FOUND', 'ERR_MODULE_NOT_FOUND', 'ERR_PACKAGE_PATH_NOT_EXPORTED', 'ENOENT']);
const ASIDE = /(?:^|\/)(?:node_modules|__tests__|tests?|specs?|examples?|docs?|bench(?:marks?)?|scripts?)\/|[._-](?:test|spec)\.\w+$|(?:^|\/)(?:test|bench(?:mark)?)\.\w+$|\.config\.\w+$/;
const [MOST_USES, MOST_PATHS] = [12, 300];

const LOADER = `
const fs = require('fs');
const [how, what] = process.argv.splice(2, 2, '--help');
let isTold = false;
const tell = ({code, message}) => {
  if (!isTold) fs.writeSync(3, JSON.stringify([String(code ?? ''), String(message ?? '').slice(0, 500)]));
  isTold = true;
  process.exit(0);
};
process.on('uncaughtException', error => tell(Object(error)));
process.on('exit', () => tell({code: 'fine'}));
if (how === 'require') require(what);
else import(what).then(() => tell({code: 'fine'}), error => tell(Object(error)));
`;
const RESOLVER = `
import {createRequire} from 'node:module';
import fs from 'node:fs';
const ways = [createRequire(import.meta.url).resolve, one => import.meta.resolve(one)];
const said = JSON.parse(fs.readFileSync(0, 'utf8')).map(one => ways.map(way => {
  try { way(one); return 'fine'; } catch (error) { return String(error.code); }
}));
process.stdout.write(JSON.stringify(said));
`;

// What a package and all that it depends on needs, as npm lays it side by side.
function dependencies(manifest, from, found) {
  const named = {...manifest.peerDependencies, ...manifest.optionalDependencies, ...manifest.dependencies};
  for (const name of Object.keys(named)) {
    let place = from;
    const inner = () => path.join(place, 'node_modules', name);
    while (!fs.existsSync(path.join(inner(), 'package.json')) && place !== '/') place = path.dirname(place);
    if (place !== '/' && !found.has(name)) {
      found.set(name, fs.realpathSync(inner()));
      dependencies(read(path.join(inner(), 'package.json')), found.get(name), found);
    }
  }
  return found;
}

function load(home, how, what) {
  const options = {cwd: home, stdio: ['ignore', 'ignore', 'ignore', 'pipe'], timeout: 20_000};
  const done = spawnSync(process.execPath, [path.join(home, 'load.cjs'), how, what], options);
  try {
    return JSON.parse(String(done.output[3]));
  } catch {
    return ['', 'It did not end.'];
  }
}

// [how users write it, how it is loaded, what, below its folder or by its name]
function uses({name, main, bin, exports: offered}, own) {
  const isMap = offered && typeof offered === 'object' && Object.keys(offered).some(key => key.startsWith('.'));
  const hasEntry = offered || main || ['index.js', 'index.json', 'index.node'].some(one => own.has(one));
  const atTop = [...own].filter(one => /^[\w.-]+\.[cm]?js$/.test(one) && !ASIDE.test(one)).map(one => `./${one}`);
  const keys = isMap ? Object.keys(offered).filter(key => offered[key] && !key.includes('*')) : hasEntry ? ['.'] : atTop;
  const code = keys.filter(key => !/\.(?:json|css|d\.ts)$/.test(key)).map(key => name + key.slice(1));
  const programs = typeof bin === 'string' ? {[name]: bin} : bin ?? {};
  return [
    ...code.flatMap(what => ['import', 'require'].map(how => [`${how}('${what}')`, how, () => what])),
    ...Object.entries(programs).map(([one, file]) => [`${one} --help`, 'import', home => path.join(home, file)]),
  ].slice(0, MOST_USES);
}

const manifest = read(path.join(folder, 'package.json'));
const {name} = manifest;
const [own, developed] = [APP, DEV].map(home => path.join(home, 'node_modules', name));
for (const one of [PACKED, own, path.dirname(developed)]) fs.mkdirSync(one, {recursive: true});
const pack = ['pack', '--ignore-scripts', '--pack-destination', PACKED];
execFileSync('npm', pack, {cwd: folder, stdio: ['ignore', 'ignore', 'inherit']});
const [archive] = fs.readdirSync(PACKED);
execFileSync('tar', ['-xzf', path.join(PACKED, archive), '-C', own, '--strip-components=1', '--no-same-owner']);
for (const [one, place] of dependencies(manifest, folder, new Map())) {
  const link = path.join(APP, 'node_modules', one);
  fs.mkdirSync(path.dirname(link), {recursive: true});
  if (!fs.existsSync(link)) fs.symlinkSync(place, link);
}
fs.symlinkSync(folder, developed);
for (const home of [APP, DEV]) fs.writeFileSync(path.join(home, 'load.cjs'), LOADER);

const packed = new Set(fs.readdirSync(own, {recursive: true}).map(String));
for (const [said, how, what] of uses(manifest, packed)) {
  const [code, message] = load(APP, how, what(own));
  const isFine = code === 'fine';
  // What fails in the tree, too, is built before it is published, or was never meant for this.
  const counts = isFine || (NOT_THERE.has(code) && load(DEV, how, what(developed))[0] === 'fine');
  const missing = /^Cannot find (?:package|module) '((?:@[\w.-]+\/)?\w[\w.-]*)/.exec(message)?.[1] ?? '';
  const error = message.split('\n', 1)[0].replaceAll(`${own}/`, '').replace(/ imported from \/.*/, '');
  tell('use', said, isFine ? '' : error, missing, counts);
}

fs.writeFileSync(path.join(APP, 'resolve.mjs'), RESOLVER);
const bare = file => file.replace(/^\.\//, '').replace(/\.js$/, '');
const isPlace = one => /\.[cm]?js$/.test(one) && !ASIDE.test(one) && bare(one) !== bare(manifest.main ?? 'index');
const asked = [...packed].filter(isPlace).slice(0, MOST_PATHS).map(one => `${name}/${one}`);
const resolving = {cwd: APP, input: JSON.stringify(asked), stdio: ['pipe', 'pipe', 'ignore']};
const answers = JSON.parse(execFileSync(process.execPath, ['resolve.mjs'], resolving));
answers.forEach((codes, at) => {
  if (codes.includes('fine')) tell('open', asked[at]);
  else if (codes.every(code => code === 'ERR_PACKAGE_PATH_NOT_EXPORTED')) tell('closed', asked[at]);
});
tell('done');
