import assert from 'node:assert/strict';
import type { Area } from './behaviour.ts';
import { assertUsable, fails, firstValue, rowsOf } from './behaviour.ts';

/** Statements: prepared, several in one text, and what they change. */
export const statementArea: Area = {
  name: 'a statement',
  behaviours: [
    {
      name: 'says how many rows it changed',
      because: 'programs check it',
      needs: ['tables'],
      check: async ({ connection }) => {
        await connection.execute('CREATE TABLE item (id INTEGER, n INTEGER)');
        assert.equal(await connection.execute('INSERT INTO item VALUES (1, 10), (2, 20), (3, 30)'), 3);
        assert.equal(await connection.execute('UPDATE item SET n = n + 1 WHERE id < 3'), 2);
        assert.equal(await connection.execute('DELETE FROM item WHERE id = 9'), 0);
        assert.equal(await connection.execute('DELETE FROM item'), 3);
      },
    },
    {
      name: 'that changes no rows says −1, or what the source says',
      because: 'an unknown count must not look like none',
      check: async ({ connection, dialect }) => {
        assert.equal(await connection.execute(dialect.answer.sql), -1);
      },
    },
    {
      name: 'without a result has a schema of no fields, and no batches',
      because: 'a reader must not wait for rows that never come',
      needs: ['tables'],
      check: async ({ connection }) => {
        const result = await connection.query('CREATE TABLE item (id INTEGER)');
        assert.deepEqual(result.schema.fields, []);
        assert.equal((await result.table()).numRows, 0);
      },
    },
    {
      name: 'that changes rows does it once, whether or not its result is read',
      because: 'a lazy write is lost, an eager one doubled',
      needs: ['tables'],
      check: async ({ connection }) => {
        await connection.execute('CREATE TABLE item (id INTEGER)');
        await connection.query('INSERT INTO item VALUES (1)');
        await (await connection.query('INSERT INTO item VALUES (2)')).table();
        await (await connection.query('INSERT INTO item VALUES (3)')).close();
        assert.deepEqual(await rowsOf(connection, 'SELECT id FROM item ORDER BY id'), [
          { id: 1 },
          { id: 2 },
          { id: 3 },
        ]);
      },
    },
    {
      name: 'that is prepared runs as often as wanted',
      because: 'that is what it is prepared for',
      needs: ['tables', 'parameters'],
      check: async ({ connection, dialect }) => {
        await connection.execute('CREATE TABLE item (id BIGINT, name VARCHAR)');
        const [id, name] = [dialect.parameter(1), dialect.parameter(2)];
        const insert = await connection.prepare(`INSERT INTO item VALUES (${id}, ${name})`);
        for (let i = 0; i < 50; i++) assert.equal(await insert.executeUpdate([i, `n${i}`]), 1);
        const select = await connection.prepare(`SELECT name FROM item WHERE id = ${dialect.parameter(1)}`);
        for (let i = 49; i >= 0; i -= 7) {
          assert.deepEqual((await (await select.executeQuery([i])).table()).toArray(), [{ name: `n${i}` }]);
        }
        await select.close();
        await insert.close();
      },
    },
    {
      name: 'that is prepared runs on after it failed',
      because: 'one bad row must not cost the statement',
      needs: ['tables', 'parameters'],
      check: async ({ connection, dialect }) => {
        await connection.execute('CREATE TABLE item (id BIGINT PRIMARY KEY)');
        const insert = await connection.prepare(`INSERT INTO item VALUES (${dialect.parameter(1)})`);
        assert.equal(await insert.executeUpdate([1]), 1);
        await fails(insert.executeUpdate([1]), 'INTEGRITY');
        await fails(insert.executeUpdate([]), 'INVALID_ARGUMENT');
        assert.equal(await insert.executeUpdate([2]), 1);
      },
    },
    {
      name: 'that is prepared takes parameters that are bound before, as a copy',
      because: 'ADBC binds and executes apart',
      needs: ['parameters'],
      check: async ({ connection, dialect }) => {
        const statement = await connection.prepare(dialect.select(dialect.parameter(1)));
        const bound = ['before'];
        statement.bind(bound);
        bound[0] = 'after';
        for (let i = 0; i < 2; i++) {
          const [row] = (await (await statement.executeQuery()).table()).toArray();
          assert.deepEqual(Object.values(row ?? {}), ['before']);
        }
      },
    },
    {
      name: 'that runs again ends its own older result, which then throws',
      because: 'ADBC: executing invalidates earlier results; it may never cut them off in silence',
      needs: ['endless statements'],
      check: async ({ connection, dialect }) => {
        const statement = await connection.prepare(dialect.trickle);
        const older = await statement.executeQuery();
        const newer = await statement.executeQuery();
        await fails(older.table(), 'INVALID_STATE');
        await newer.close();
      },
    },
    {
      name: 'may end in semicolons and comments',
      because: 'people paste them',
      check: async ({ connection, dialect }) => {
        const { sql, value } = dialect.answer;
        for (const text of [`${sql};`, `${sql} ; `, `${sql} -- why`, `-- why\n${sql};\n`, `/* ; */ ${sql}`]) {
          assert.equal(await firstValue(connection, text), value, text);
        }
      },
      needs: ['scripts'],
    },
    {
      name: 'among several in one text runs in its place, and the last one gives the result',
      because: 'that is the documented choice',
      needs: ['scripts', 'tables'],
      check: async ({ connection }) => {
        const script =
          "CREATE TABLE item (s VARCHAR); INSERT INTO item VALUES ('a;b'), ('c'); SELECT s FROM item ORDER BY s";
        assert.deepEqual(await rowsOf(connection, script), [{ s: 'a;b' }, { s: 'c' }]);
      },
    },
    {
      name: 'among several that fails stops the text there',
      because: 'what follows may rely on it',
      needs: ['scripts', 'tables'],
      check: async (contract) => {
        const { connection } = contract;
        const script = 'CREATE TABLE item (i INTEGER); INSERT INTO nowhere VALUES (1); INSERT INTO item VALUES (2)';
        await fails(connection.execute(script), 'NOT_FOUND');
        assert.deepEqual(await rowsOf(connection, 'SELECT i FROM item'), []);
        await assertUsable(contract);
      },
    },
    {
      name: 'among several cannot be prepared',
      because: 'a prepared statement is one plan',
      needs: ['scripts'],
      check: async ({ connection, dialect }) => {
        await fails(connection.prepare(`${dialect.answer.sql}; ${dialect.answer.sql}`), 'INVALID_ARGUMENT', /2/);
      },
    },
    {
      name: 'has names of columns and tables as they were written, beyond ASCII and with quotes too',
      because: 'a name that changes is a column that is not found',
      needs: ['quoted names', 'tables'],
      check: async ({ connection, dialect }) => {
        const names = [
          'naïve',
          '数据',
          '😀',
          'with space',
          'we"ird',
          "it's",
          '__proto__',
          'constructor',
          'e\u0301',
          'ß',
        ];
        const columns = names.map((name) => `${dialect.quote(name)} INTEGER`).join(', ');
        const table = dialect.quote('tabelle "ß" 数据 😀');
        await connection.execute(`CREATE TABLE ${table} (${columns})`);
        await connection.execute(`INSERT INTO ${table} VALUES (${names.map((_, i) => i).join(', ')})`);
        const result = await connection.query(`SELECT * FROM ${table}`);
        assert.deepEqual(result.schema.names, names);
        const [row] = (await result.table()).toArray();
        assert.deepEqual(
          Object.entries(row ?? {}),
          names.map((name, i) => [name, i]),
        );
        const schema = await connection.getTableSchema({ tableName: 'tabelle "ß" 数据 😀' });
        assert.deepEqual(schema.names, names);
      },
    },
    {
      name: 'may have two columns of one name, which keep their places',
      because: 'a join has them, and none may be lost',
      needs: ['tables'],
      check: async ({ connection }) => {
        const table = await (await connection.query("SELECT 1 AS x, 'two' AS x")).table();
        assert.deepEqual(table.schema.names, ['x', 'x']);
        assert.deepEqual([table.column(0).at(0), table.column(1).at(0)], [1, 'two']);
      },
    },
    {
      name: 'has a table schema that is NOT_FOUND where there is no table',
      because: 'ADBC says so',
      needs: ['tables'],
      check: async ({ connection }) => {
        await fails(connection.getTableSchema({ tableName: 'nowhere' }), 'NOT_FOUND', /nowhere/);
        await connection.execute('CREATE TABLE item (id INTEGER, name VARCHAR)');
        const schema = await connection.getTableSchema({ tableName: 'item' });
        const selected = (await connection.query('SELECT * FROM item')).schema;
        assert.deepEqual(schema.names, ['id', 'name']);
        assert.deepEqual(
          schema.fields.map((field) => field.type),
          selected.fields.map((field) => field.type),
        );
      },
    },
  ],
};
