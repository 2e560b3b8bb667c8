/** Remembered answers in PostgreSQL. */
@NullMarked
package dev.fairlead.idempotency.postgres;

import org.jspecify.annotations.NullMarked;
