/** Statements on PostgreSQL. */
@NullMarked
package dev.fairlead.money.statement.postgres;

import org.jspecify.annotations.NullMarked;
