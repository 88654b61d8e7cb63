// Loads what a packed package offers, each time in a process of its own, and tells how that went.
//
// Usage: load.mjs PACKAGE_FOLDER. Writes one JSON list a line to the channel: ["use", …], ["open", path],
// ["closed", path], ["problem", why]; ["done"] comes last.
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
const MOST_ENTRIES = 12;

const LOADER = `
const fs = require('fs');
const [how, what] = process.argv.slice(2);
const tell = error => {
  const {code, message} = error ?? {};
  fs.writeSync(3, JSON.stringify([String(code ?? ''), String(message ?? error).slice(0, 500)]));
  process.exit(0);
};
process.on('uncaughtException', tell);
if (how === 'require') {
  try { require(what); tell({code: 'fine'}); } catch (error) { tell(error); }
} else {
  import(what).then(() => tell({code: 'fine'}), tell);
}
`;
const RESOLVER = `
import {createRequire} from 'node:module';
import fs from 'node:fs';
const {resolve} = createRequire(import.meta.url);
const ways = [resolve, one => import.meta.resolve(one)];
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
    while (!fs.existsSync(path.join(place, 'node_modules', name, 'package.json')) && place !== '/') {
      place = path.dirname(place);
    }
    const inner = path.join(place, 'node_modules', name);
    if (place !== '/' && !found.has(name)) {
      found.set(name, fs.realpathSync(inner));
      dependencies(read(path.join(inner, 'package.json')), found.get(name), found);
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

function entries({exports: offered, main}, own) {
  const isMap = offered && typeof offered === 'object' && Object.keys(offered).some(key => key.startsWith('.'));
  if (!offered && !main && !['index.js', 'index.json', 'index.node'].some(one => own.has(one))) return [];
  const keys = isMap ? Object.keys(offered).filter(key => offered[key] && !key.includes('*')) : ['.'];
  return keys.filter(key => !/\.(?:json|css|d\.ts)$|package\.json$/.test(key)).slice(0, MOST_ENTRIES);
}

const manifest = read(path.join(folder, 'package.json'));
const {name} = manifest;
fs.mkdirSync(PACKED);
const pack = ['pack', '--ignore-scripts', '--json', '--pack-destination', PACKED];
execFileSync('npm', pack, {cwd: folder, stdio: ['ignore', 'ignore', 'inherit']});
const own = path.join(APP, 'node_modules', name);
fs.mkdirSync(own, {recursive: true});
const [archive] = fs.readdirSync(PACKED);
execFileSync('tar', ['-xzf', path.join(PACKED, archive), '-C', own, '--strip-components=1', '--no-same-owner']);
for (const [one, place] of dependencies(manifest, folder, new Map())) {
  const link = path.join(APP, 'node_modules', one);
  fs.mkdirSync(path.dirname(link), {recursive: true});
  if (!fs.existsSync(link)) fs.symlinkSync(place, link);
}
const developed = path.join(DEV, 'node_modules', name);
fs.mkdirSync(path.dirname(developed), {recursive: true});
fs.symlinkSync(folder, developed);
for (const home of [APP, DEV]) fs.writeFileSync(path.join(home, 'load.cjs'), LOADER);

const packed = new Set(fs.readdirSync(own, {recursive: true}).map(String));
for (const key of entries(manifest, packed)) {
  const what = name + key.slice(1);
  for (const how of ['import', 'require']) {
    const [code, message] = load(APP, how, what);
    const isFine = code === 'fine';
    // What fails in the tree, too, is built before it is published, or was never meant for this.
    const counts = isFine || (NOT_THERE.has(code) && load(DEV, how, what)[0] === 'fine');
    const missing = /^Cannot find (?:package|module) '((?:@[\w.-]+\/)?[\w][\w.-]*)/.exec(message)?.[1];
    tell('use', `${how}('${what}')`, isFine ? '' : message.replaceAll(`${own}/`, ''), missing ?? '', counts);
  }
}

fs.writeFileSync(path.join(APP, 'resolve.mjs'), RESOLVER);
const main = (manifest.main ?? 'index').replace(/^\.\//, '').replace(/\.js$/, '');
const isPlace = one => /\.[cm]?js$/.test(one) && !ASIDE.test(one) && one.replace(/\.js$/, '') !== main;
const scripts = [...packed].filter(isPlace).slice(0, 300);
const asked = scripts.map(one => `${name}/${one}`);
const input = JSON.stringify(asked);
const answers = JSON.parse(execFileSync(process.execPath, ['resolve.mjs'], {cwd: APP, input, stdio: ['pipe', 'pipe', 'ignore']}));
answers.forEach((codes, at) => {
  if (codes.includes('fine')) tell('open', asked[at]);
  else if (codes.every(code => code === 'ERR_PACKAGE_PATH_NOT_EXPORTED')) tell('closed', asked[at]);
});
tell('done');
