package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** The cost of deleting a row does not grow with the tables that refer to it. */
class ForeignKeysTest {
  private final PostgresInstallation stores = Embedded.installation();

  /**
   * Fails when a table refers to another by columns that no index begins with: PostgreSQL then
   * reads the whole table for each row deleted from the referenced table.
   */
  @Test
  void eachForeignKeyHasAnIndex() {
    List<String> without =
        stores
            .jdbc()
            .sql(
                """
                SELECT c.conrelid::regclass || ' (' || string_agg(a.attname, ', ' ORDER BY k.n) || ') to '
                    || c.confrelid::regclass
                FROM pg_constraint c
                CROSS JOIN LATERAL unnest(c.conkey) WITH ORDINALITY AS k (attnum, n)
                JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = k.attnum
                WHERE c.contype = 'f' AND c.conparentid = 0
                  AND NOT EXISTS (
                    SELECT FROM pg_index i
                    WHERE i.indrelid = c.conrelid
                      AND (i.indkey::int2[])[0:cardinality(c.conkey) - 1] @> c.conkey)
                GROUP BY c.oid, c.conrelid, c.confrelid
                ORDER BY 1
                """)
            .query(String.class)
            .list();

    assertThat(without).isEmpty();
  }
}
