/** Transactions on PostgreSQL. */
@NullMarked
package dev.fairlead.kernel.transaction.postgres;

import org.jspecify.annotations.NullMarked;
