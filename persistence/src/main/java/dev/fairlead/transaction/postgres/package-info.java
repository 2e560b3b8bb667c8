/** Transactions on PostgreSQL. */
@NullMarked
package dev.fairlead.transaction.postgres;

import org.jspecify.annotations.NullMarked;
