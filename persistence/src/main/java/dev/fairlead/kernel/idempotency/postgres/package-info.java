/** Stored responses of idempotent requests in PostgreSQL. */
@NullMarked
package dev.fairlead.kernel.idempotency.postgres;

import org.jspecify.annotations.NullMarked;
