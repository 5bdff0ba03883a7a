import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { nearest } from '../../src/adbc/nearest.ts';
import { displayWidth, truncate, visible } from '../../src/cli/format/display-width.ts';
import { plotBars } from '../../src/cli/plot.ts';
import { formatProgress, formatSeconds } from '../../src/cli/progress.ts';
import { formatBytes } from '../../src/delivery/report.ts';

describe('display width', () => {
  // Widths by UAX #11 and by what xterm, kitty and VTE show.
  test('counts terminal columns, not characters', () => {
    const widths: [text: string, width: number][] = [
      ['', 0],
      ['abc', 3],
      ['äöü', 3],
      ['e\u0301', 1],
      ['漢字', 4],
      ['ﾊﾝｶｸ', 4],
      ['Ａ', 2],
      ['한국', 4],
      ['😀', 2],
      ['👨‍👩‍👧', 2],
      ['🇩🇪', 2],
      ['\u200b', 0],
      ['…', 1],
    ];
    for (const [text, width] of widths) assert.equal(displayWidth(text), width, JSON.stringify(text));
  });

  test('bounds what is cut, an ellipsis included, and never splits a character', () => {
    assert.equal(truncate('abcdef', 6), 'abcdef');
    assert.equal(truncate('abcdef', 4), 'abc…');
    assert.equal(truncate('漢字漢字', 8), '漢字漢字');
    assert.equal(truncate('漢字漢字', 6), '漢字…');
    assert.equal(truncate('a👨‍👩‍👧b', 3), 'a…');
  });

  test('is not changed by control characters, which are written out', () => {
    assert.equal(visible('a\nb\tc\r'), 'a\\nb\\tc\\r');
    assert.equal(visible('\u001b[31mred\u0000\u009b'), '\\x1b[31mred\\x00\\x9b');
    assert.equal(visible('\u202eabc'), '\\u202eabc');
    assert.equal(visible('naïve 漢'), 'naïve 漢');
  });
});

describe('the nearest word', () => {
  const words = ['query', 'demo', 'bench', 'inspect', 'ingest'];
  test('is one within two slips of the finger, or what was begun', () => {
    assert.equal(nearest('qurey', words), 'query');
    assert.equal(nearest('demos', words), 'demo');
    assert.equal(nearest('insp', words), 'inspect');
    assert.equal(nearest('bnech', words), 'bench');
  });
  test('is none when nothing is near', () => {
    assert.equal(nearest('xyzzy', words), undefined);
    assert.equal(nearest('', words), undefined);
  });
});

describe('a plot', () => {
  test('draws each bar to its share of the longest, in eighths of a character', () => {
    const bars = [
      { label: 'a', value: 1000 },
      { label: 'bb', value: 500 },
      { label: 'c', value: 31.25 },
      { label: 'd', value: 0.001 },
      { label: 'e', value: 0 },
    ];
    assert.deepEqual(plotBars(bars, { width: 4 }), [
      ' a ████ 1,000',
      'bb ██   500',
      ' c ▏    31.25',
      ' d ▏    0.001',
      ' e      0',
    ]);
  });
  test('of nothing but zeros has no bars', () => {
    assert.deepEqual(plotBars([{ label: 'a', value: 0 }], { width: 2 }), ['a    0']);
    assert.deepEqual(plotBars([], { width: 2 }), []);
  });
});

describe('progress', () => {
  test('tells rows, bytes, rate and time', () => {
    assert.equal(formatProgress(1_000_000, 36_909_875, 500), '1,000,000 rows  35.2 MiB  2,000,000 rows/s  500 ms');
    assert.equal(formatProgress(0, 0, 0), '0 rows  0 B  0 rows/s  0.0 ms');
    assert.equal(formatBytes(1023), '1023 B');
    assert.equal(formatBytes(1024), '1.0 KiB');
    assert.equal(formatSeconds(12_345), '12.3 s');
  });
});
