/** Statements on PostgreSQL. */
@NullMarked
package dev.fairlead.statement.postgres;

import org.jspecify.annotations.NullMarked;
