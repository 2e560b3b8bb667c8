/** The clock of PostgreSQL, and watermarks that were stored with it. */
@NullMarked
package dev.fairlead.kernel.clock.postgres;

import org.jspecify.annotations.NullMarked;
