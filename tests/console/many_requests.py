"""A store with any number of requests in it, quickly: copies of those that it has, by the database's own means."""

import sqlite3
from contextlib import closing

WEEK_MS = 7 * 86_400_000


def multiply(file, count, until_ms):
    """Spreads `count` requests over the week before `until_ms`. What can be told apart are their ids and times."""
    with closing(sqlite3.connect(file, isolation_level=None)) as database:
        for setting in ("journal_mode = OFF", "synchronous = OFF", "cache_size = -200000"):
            database.execute(f"PRAGMA {setting}")
        database.execute("BEGIN")
        (models,) = database.execute("SELECT COUNT(*) FROM ledger").fetchone()
        database.execute("CREATE TEMP TABLE model AS SELECT ROW_NUMBER() OVER () - 1 AS number, ledger.*, record"
                         " FROM ledger JOIN records USING (seq)")
        for table in ("ledger", "records", "usage_hours"):
            database.execute(f"DELETE FROM {table}")
        parameters = {"count": count, "models": models, "from": until_ms - WEEK_MS, "step": WEEK_MS / count}
        database.execute(
            "INSERT INTO ledger WITH RECURSIVE turn(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM turn WHERE i < :count)"
            " SELECT i, printf('chatcmpl-%020d', i), printf('req_%020d', i), CAST(:from + i * :step AS INTEGER), kind, finish, stream,"
            " input_tokens, cached_tokens, output_tokens, reasoning_tokens, cost, lines"
            " FROM turn JOIN model ON model.number = i % :models", parameters)
        database.execute(
            "INSERT INTO records SELECT ledger.seq, record, NULL FROM ledger JOIN model ON model.number = ledger.seq % :models",
            {"models": models})
        database.execute(
            "INSERT INTO usage_hours SELECT began - began % 3600000, kind, COUNT(*), SUM(input_tokens), SUM(cached_tokens),"
            " SUM(output_tokens), SUM(reasoning_tokens), SUM(COALESCE(cost, 0)), SUM(cost IS NULL) FROM ledger GROUP BY 1, 2")
        database.execute("UPDATE counters SET value = ? WHERE name = 'ledger_seq'", (count,))
        database.execute("COMMIT")
